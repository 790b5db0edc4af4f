import { Injectable } from '@nestjs/common';
import { AppError, KeyValue, SecretBox } from '@tollgate/chassis';

/**
 * How long a client may repeat an unanswered call. A repetition later than this is still not posted twice, because the
 * journal keeps the command's id for ever.
 */
const DAY_SECONDS = 24 * 60 * 60;
const KEY = /^[\x21-\x7e]{8,200}$/;
const DONE = '!';

interface CommandName {
  /** Derived from the caller and the key. */
  id: string;
  /**
   * Keyed hash of the request, to recognize another request under the same key. Keyed, because requests contain
   * passwords.
   */
  fingerprint: string;
}

/** A call with an `Idempotency-Key`: it takes effect once, however often it arrives. */
export interface KeyedCommand extends CommandName {
  /**
   * The names derived with the other accepted secret keys: while the secret key is being replaced, another replica may
   * use any of them.
   */
  others: readonly CommandName[];
}

@Injectable()
export class KeyedCommands {
  constructor(
    private readonly keyValue: KeyValue,
    private readonly secrets: SecretBox,
  ) {}

  /** `undefined` without a key. Throws `idempotency-key-invalid` for a malformed key. */
  async of(key: string | undefined, actorId: number, request: object): Promise<KeyedCommand | undefined> {
    if (key === undefined) return undefined;
    if (!KEY.test(key))
      throw new AppError('invalid', 'idempotency-key-invalid', 'Idempotency-Key 必须是 8 到 200 个可见字符');
    const fingerprints = this.secrets.hmacs('idempotent-request', JSON.stringify(request));
    const names = this.secrets.hmacs('idempotency-key', `${actorId}\n${key}`);
    const commands = names.map((name, at) => ({ id: `idempotency:${name}`, fingerprint: fingerprints[at] ?? '' }));
    const [own, ...former] = commands;
    // A command begun under the previous secret key keeps its name.
    const begun = await this.firstBegun(former);
    const name = begun ?? own;
    return name && { ...name, others: commands.filter((other) => other !== name) };
  }

  private async firstBegun(names: readonly CommandName[]): Promise<CommandName | undefined> {
    for (const name of names) if ((await this.keyValue.get(name.id)) !== undefined) return name;
    return undefined;
  }

  /**
   * Whether the command was completed before. Throws `idempotency-key-reused` when the key was used for another
   * request.
   */
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
