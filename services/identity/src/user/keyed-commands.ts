import { Injectable } from '@nestjs/common';
import { AppError, KeyValue, SecretBox } from '@tollgate/chassis';

/** As long as anybody repeats a call that was not answered; what was posted is protected for ever by its own key. */
const DAY_SECONDS = 24 * 60 * 60;
const KEY = /^[\x21-\x7e]{8,200}$/;
const DONE = '!';

interface CommandName {
  /** The same for the same key of the same person. */
  id: string;
  /** The same for the same request. Keyed, because requests hold passwords. */
  fingerprint: string;
}

/** A call that says by an `Idempotency-Key` that it is one and the same, however often it arrives. */
export interface KeyedCommand extends CommandName {
  /** Its other names, by the other secret keys that are accepted: while one is replaced, another replica may use any of them. */
  others: readonly CommandName[];
}

@Injectable()
export class KeyedCommands {
  constructor(
    private readonly keyValue: KeyValue,
    private readonly secrets: SecretBox,
  ) {}

  /** Undefined without a key. Throws `idempotency-key-invalid` for one that nobody would make on purpose. */
  async of(key: string | undefined, actorId: number, request: object): Promise<KeyedCommand | undefined> {
    if (key === undefined) return undefined;
    if (!KEY.test(key))
      throw new AppError('invalid', 'idempotency-key-invalid', 'Idempotency-Key 必须是 8 到 200 个可见字符');
    const fingerprints = this.secrets.hmacs('idempotent-request', JSON.stringify(request));
    const names = this.secrets.hmacs('idempotency-key', `${actorId}\n${key}`);
    const commands = names.map((name, at) => ({ id: `idempotency:${name}`, fingerprint: fingerprints[at] ?? '' }));
    const [own, ...former] = commands;
    // What began under a secret key that is being replaced goes on under its name.
    const begun = await this.firstBegun(former);
    const name = begun ?? own;
    return name && { ...name, others: commands.filter((other) => other !== name) };
  }

  private async firstBegun(names: readonly CommandName[]): Promise<CommandName | undefined> {
    for (const name of names) if ((await this.keyValue.get(name.id)) !== undefined) return name;
    return undefined;
  }

  /** Whether it was done before. Throws `idempotency-key-reused` where the key belongs to another request. */
  async wasDone({ id, fingerprint }: KeyedCommand): Promise<boolean> {
    if (await this.keyValue.setIfAbsent(id, fingerprint, DAY_SECONDS)) return false;
    const known = (await this.keyValue.get(id)) ?? fingerprint;
    if (known.replace(DONE, '') !== fingerprint) throw keyReused();
    return known.endsWith(DONE);
  }

  async noteDone({ id, fingerprint }: KeyedCommand): Promise<void> {
    await this.keyValue.set(id, `${fingerprint}${DONE}`, DAY_SECONDS);
  }
}

const keyReused = (): AppError =>
  new AppError('conflict', 'idempotency-key-reused', '该 Idempotency-Key 已用于另一个请求，请换一个再试');
