import { createHash } from 'node:crypto';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import {
  adminAction,
  changesPrices,
  checkOptionGuards,
  connectionHeaderIn,
  defaultOptions,
  factorRules,
  isOptionKey,
  isSecret,
  mustEnrol,
  optionChanged,
  type OptionKey,
  optionKeys,
  optionRows,
  parseOption,
  publishPrices,
  Role,
  strangeName,
  UserStatus,
} from '@tollgate/contracts';
import type { Option as OptionReply, updateOptionSchema } from '@tollgate/contracts/api/option';
import {
  AppError,
  type Caller,
  Host,
  InternalClient,
  KeyValue,
  Logger,
  broadcastChannel,
  OptionStore,
  SecretBox,
} from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import type { z } from 'zod';
import { currentRevisions, nextRevision } from '../revision/revisions.js';
import { User } from '../user/user.entity.js';
import { Option } from './option.entity.js';
import { assertMayRedirect } from './redirected-secret.js';
import {
  canRootSignIn,
  concernsSignIn,
  isSignInSwitch,
  openMethods,
  type SignInMethod,
  unsettles,
} from './sign-in-methods.js';
import { Passkey } from '../factor/passkey.entity.js';
import { partyHost } from '../factor/relying-party.js';
import { mattersWhoSaved, TrustedSettings } from './trusted-settings.js';

type OptionUpdate = z.output<typeof updateOptionSchema>;
type Texts = Record<OptionKey, string>;
interface Stored {
  em: EntityManager;
  texts: Texts;
  rows: ReadonlyMap<string, Option>;
}
interface Change {
  key: OptionKey;
  value: string;
  texts: Texts;
}

export const SECRET = 'option-secret';
const LAST_METHOD = '无法关闭该登录方式：没有超级管理员绑定了其他已启用的登录方式';
const LAST_METHOD_SETTINGS =
  '无法修改该设置：这是超级管理员唯一可用的登录方式，请先启用密码登录，或绑定其他已启用的登录方式';
const NO_FACTOR = '请先在个人设置中为自己的账户启用两步验证或添加通行密钥，再要求他人启用';
/** In bytes. The audit log contains only a digest of longer values, so those changes cannot be undone. */
const MAX_AUDITED = 32_000;

/**
 * System settings. The table contains overrides only; the schema of a value and who may set it are in the registry of
 * contracts.
 */
@Injectable()
export class OptionService {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: Outbox,
    private readonly secrets: SecretBox,
    private readonly options: OptionStore,
    private readonly keyValue: KeyValue,
    private readonly internal: InternalClient,
    private readonly logger: Logger,
    private readonly trusted: TrustedSettings,
    private readonly host: Host,
  ) {}

  /** Every option with its value in force; for a secret only whether it is set. */
  async list(): Promise<OptionReply[]> {
    const rows = new Map((await this.em.find(Option, {})).map((row) => [row.key, row]));
    return optionKeys.map((key) => {
      const row = rows.get(key);
      const revision = row?.revision ?? 0;
      if (isSecret(key)) return { key, value: '', revision, secret: true, is_set: this.open(key, row) !== '' };
      return { key, value: this.open(key, row), revision };
    });
  }

  /** The overrides for other services, and a revision: the values are at least as new as it. */
  async snapshot(): Promise<{ revision: number; values: Record<string, string> }> {
    const { option: revision } = await currentRevisions(this.em);
    const rows = await this.em.fork().find(Option, {});
    const values = rows.filter(({ key }) => isOptionKey(key)).map((row) => [row.key, this.open(row.key, row)]);
    return { revision, values: Object.fromEntries(values) as Record<string, string> };
  }

  /**
   * Sets one option, or throws and changes nothing. A blank text for a secret keeps the stored one, because forms
   * cannot show the secret and send an empty field; `clear` removes it.
   */
  async update({ key, value, revision, clear }: OptionUpdate, caller: Caller): Promise<void> {
    if (!isOptionKey(key)) throw refusal('unknown-option', `未知的配置项：${key.slice(0, 64)}`);
    this.assertMayWrite(key, caller);
    if (isSecret(key) && value.trim() === '' && clear !== true) return;
    const parsed = parseOption(key, value);
    if (!parsed.ok) throw refusal('option-invalid', parsed.message);
    // Checked for new values only: a stored value from before this rule is still accepted when it is read.
    const strange = typeof parsed.value === 'object' ? strangeName(value) : undefined;
    if (strange !== undefined) throw refusal('option-name-unusable', `名称重复或不可用：${strange}`, { name: strange });
    const ofConnection = key === 'claude.model_headers_settings' ? connectionHeaderIn(parsed.value) : undefined;
    if (ofConnection !== undefined)
      throw refusal('option-header-unusable', `请求头不合法: ${ofConnection}`, { header: ofConnection });
    const kept = asKept(value, parsed.value);
    await this.write(key, caller.userId, async (em, texts, rows) => {
      const row = rows.get(key);
      if (revision !== undefined && revision !== (row?.revision ?? 0)) {
        throw new AppError('conflict', 'option-changed-meanwhile', '该配置已被他人修改，请刷新后重试', {
          params: { key },
        });
      }
      assertMayRedirect({ key, value: kept, texts, enteredBy: (secret) => rows.get(secret)?.updatedBy }, caller);
      await this.checkGuards(em, { key, value: kept, texts }, caller);
      return kept;
    });
  }

  /** Resets an option to its default. */
  async reset(key: OptionKey, caller: Caller): Promise<void> {
    this.assertMayWrite(key, caller);
    await this.write(key, caller.userId, () => Promise.resolve(undefined));
  }

  /**
   * Writes an option in the caller's transaction, for the set-up. The caller refreshes the option store after the
   * commit.
   */
  async put(em: EntityManager, key: OptionKey, value: string | undefined, actorId: number): Promise<number> {
    const revision = await nextRevision(em, 'option');
    if (value === undefined) await em.nativeDelete(Option, { key });
    else {
      const stored = isSecret(key) && value !== '' ? this.secrets.encrypt(SECRET, value) : value;
      await em.upsert(Option, { key, value: stored, revision, updatedBy: actorId, updatedAt: new Date() });
    }
    await this.outbox.add(optionChanged, { key, revision });
    return revision;
  }

  /**
   * Runs `decide` in a transaction in which nobody else can change an option. Changes that remove a way to sign in from
   * a super administrator run in it too, because their checks read several options and user rows. This takes the first
   * lock of the transaction, so the caller must not hold any lock.
   */
  whileUnchanged<Result>(decide: (stored: Stored) => Promise<Result>): Promise<Result> {
    return this.em.transactional(async (em) => {
      await em.execute(`select "value" from "revision" where "name" = 'option' for update`);
      const rows = await em.find(Option, {}, { refresh: true });
      return decide({ em, texts: this.textsOf(rows), rows: new Map(rows.map((row) => [row.key, row])) });
    });
  }

  /** The sign-in methods by which a super administrator can sign in. Reads within the caller's transaction. */
  async methodsForRoots(texts: Texts): Promise<SignInMethod[]> {
    const methods: SignInMethod[] = [];
    for (const method of openMethods(texts)) {
      const { voucher } = method;
      if (voucher === undefined || (await this.trusted.mayVouchFor(voucher, { role: Role.root }))) methods.push(method);
    }
    return methods;
  }

  /** Makes this replica use its own change at once; the other replicas learn of it by the event. */
  async refreshStore(): Promise<void> {
    const { revision, values } = await this.snapshot();
    this.options.apply(revision, values);
  }

  private async write(
    key: OptionKey,
    actorId: number,
    decide: (em: EntityManager, texts: Texts, rows: ReadonlyMap<string, Option>) => Promise<string | undefined>,
  ): Promise<void> {
    await this.whileUnchanged(async ({ em, texts, rows }) => {
      const value = await decide(em, texts, rows);
      const row = rows.get(key);
      // Nothing changes, so a form or an undo that knows the revision must not be refused because of it.
      const isStored = value === undefined ? !row : row !== undefined && value === texts[key];
      if (isStored && !mattersWhoSaved(key)) return;
      const was = row?.revision ?? 0;
      const revision = await this.put(em, key, value, actorId);
      if ((value ?? defaultOptions[key]) === texts[key] && !mattersWhoSaved(key)) return;
      const before = { value: auditText(key, texts[key]), revision: was };
      // An undo sends this revision, and is refused if somebody has changed the option in the meantime.
      const after = {
        value: auditText(key, value ?? defaultOptions[key]),
        revision: value === undefined ? 0 : revision,
      };
      await this.outbox.add(adminAction, { actorId, action: 'option-update', subject: `option:${key}`, before, after });
    });
    await this.refreshStore();
    await this.broadcastAtOnce(key);
  }

  /** Only saves the caller's next request the wait for the event, which reaches every replica in any case. */
  private async broadcastAtOnce(key: OptionKey): Promise<void> {
    try {
      await this.keyValue.publish(broadcastChannel(optionChanged.name), key);
      if (changesPrices(key)) await this.internal.call(publishPrices, {});
    } catch (error) {
      this.logger.warn('an option was saved, and others learn of it by its event only', { option: key, error });
    }
  }

  private async checkGuards(em: EntityManager, change: Change, caller: Caller): Promise<void> {
    const { key, value, texts } = change;
    // First, because the other check may ask to switch off a method that nobody may switch off.
    if (concernsSignIn(key)) await this.checkSignIn(em, change, caller.role);
    const refused = checkOptionGuards(key, value, texts);
    if (refused) throw refusal(refused.code, refused.message);
    if (key === 'SecondFactorRequiredFor') await this.checkOwnFactor(em, value, caller);
  }

  /**
   * A caller who requires a second factor of users like themselves must have one; otherwise this change would lock them
   * out of the next page.
   */
  private async checkOwnFactor(em: EntityManager, value: string, { userId, role }: Caller): Promise<void> {
    const rule = factorRules.find((known) => known === value) ?? 'nobody';
    const self = await em.findOne(User, { id: userId }, { refresh: true });
    if (mustEnrol(rule, { role, secondFactor: self?.hasSecondFactor() }))
      throw refusal('own-factor-missing', NO_FACTOR);
  }

  /**
   * Refuses a change after which no super administrator could sign in any more. If none can sign in already, every
   * change is allowed.
   */
  private async checkSignIn(em: EntityManager, { key, value, texts }: Change, role: number): Promise<void> {
    const root = { role: Role.root, status: UserStatus.enabled, deletedAt: null };
    const roots = await em.find(User, root, { refresh: true });
    const hosts = await this.passkeyHosts(em, roots);
    const can = (options: Texts, methods: readonly SignInMethod[]): boolean =>
      canRootSignIn(options, methods, roots) || hosts.has(partyHost(options.ServerAddress || this.host.address));
    if (!can(texts, await this.methodsForRoots(texts))) return;
    const after = { ...texts, [key]: value };
    const methods = await this.methodsForRoots(after);
    const settled = methods.filter((method) => !unsettles(method, { key, value, texts, role }));
    if (can(after, settled)) return;
    throw refusal('last-sign-in-method', isSignInSwitch(key) ? LAST_METHOD : LAST_METHOD_SETTINGS);
  }

  /** The hosts of the super administrators' passkeys; a passkey works on one host only. */
  private async passkeyHosts(em: EntityManager, roots: readonly User[]): Promise<ReadonlySet<string>> {
    const passkeys = await em.find(Passkey, { userId: { $in: roots.map(({ id }) => id) } }, { fields: ['host'] });
    return new Set(passkeys.map(({ host }) => host));
  }

  private assertMayWrite(key: OptionKey, caller: Caller): void {
    if (caller.role >= optionRows[key].minRole) return;
    throw new AppError('forbidden', 'permission-denied', '无权进行此操作，权限不足');
  }

  private textsOf(rows: readonly Option[]): Texts {
    const overrides = rows.flatMap((row) => (isOptionKey(row.key) ? [[row.key, this.open(row.key, row)]] : []));
    return { ...defaultOptions, ...Object.fromEntries(overrides) };
  }

  /**
   * A secret that cannot be decrypted, because the secret key was changed, counts as not set and must be entered again.
   */
  private open(key: string, row: Option | undefined): string {
    if (!row) return isOptionKey(key) ? defaultOptions[key] : '';
    if (!isOptionKey(key) || !isSecret(key) || row.value === '') return row.value;
    try {
      return this.secrets.decrypt(SECRET, row.value);
    } catch (error) {
      this.logger.error('a secret option cannot be decrypted and counts as empty', { option: key, error });
      return '';
    }
  }
}

/** An invalid value; documented with status 200. */
const refusal = (code: string, message: string, params?: Record<string, string>): AppError =>
  new AppError('invalid', code, message, { status: 200, params });

/** Stores a string option as it was parsed (trimmed), a number as it was typed. A blank text is stored as empty, whatever it parses to. */
function asKept(text: string, value: unknown): string {
  if (value === undefined || typeof value === 'number') return text.trim();
  if (typeof value !== 'string') return text;
  return text.trim() === '' ? '' : value;
}

function auditText(key: OptionKey, text: string): string {
  if (isSecret(key)) return text === '' ? '' : '***';
  if (Buffer.byteLength(text) <= MAX_AUDITED) return text;
  return `sha256:${createHash('sha256').update(text).digest('hex')} (${text.length})`;
}
