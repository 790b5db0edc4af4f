import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { type AuditAction, ChannelStatus, findChannelType, pastedText } from '@tollgate/contracts';
import type { deleteChannelsSchema } from '@tollgate/contracts/api/channel';
import { AppError, type Caller, Clock, OutboundClient, refuseOverwriting } from '@tollgate/chassis';
import type { z } from 'zod';
import {
  changedFields,
  changedSince,
  type ChannelState,
  describeChange,
  describeChannel,
  namedChannels,
  stateOf,
} from './channel-audit.js';
import { type AuditEntry, ChannelChanges, type Moved } from './channel-changes.js';
import {
  type ChannelFields,
  type ChannelPatch,
  fieldNames,
  fieldsOf,
  keysOf,
  type NewChannel,
  newFieldsOf,
  otherOf,
} from './channel-fields.js';
import { ChannelKeys, retried } from './channel-keys.js';
import { checkFields, checkKey, checkKeyCount, checkKeyMode, checkOther, checkTexts } from './channel-rules.js';
import { FRESH, lockChannel, lockChannels } from './channel-store.js';
import { Channel } from './channel.entity.js';
import { TestResult } from './test-result.entity.js';
import { assertMayMoveKey } from './key-destination.js';
import { proxyOf } from './channel-target.js';

/** Disabled by a person or automatically. */
const DISABLED = { status: { $in: [ChannelStatus.disabled, ChannelStatus.autoDisabled] } };
/** When one of these changes, the channel is another account or another upstream, so old evidence no longer applies. */
const IDENTITY: readonly (keyof ChannelFields)[] = ['type', 'baseUrl', 'other', 'organization'];

interface Edit {
  before: ChannelState;
  moved?: Moved;
  isKeyChanged: boolean;
}

@Injectable()
export class ChannelService {
  constructor(
    private readonly em: EntityManager,
    private readonly changes: ChannelChanges,
    private readonly keys: ChannelKeys,
    private readonly outbound: OutboundClient,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates one channel per key, or a single one for all keys, in one transaction. Returns the ids in the order of the
   * keys. If `findInstead` returns ids, these are returned and nothing is created; it runs in the same transaction.
   */
  async create(
    form: NewChannel,
    actor: Caller,
    findInstead?: (em: EntityManager) => Promise<number[]>,
  ): Promise<number[]> {
    const draft = newFieldsOf(form);
    const fields = { ...draft, other: otherOf(draft) };
    checkFields(fields);
    checkOther(fields);
    checkTexts(fields, fieldNames);
    checkKeyMode(fields);
    const typed = typedKeys(form.key, fields.type);
    checkKeys(fields, typed);
    await this.checkAddresses(fields);
    return this.em.transactional(async (em) => {
      const found = (await findInstead?.(em)) ?? [];
      if (found.length > 0) return found;
      const original =
        typed.length > 0 ? undefined : await this.originalOf(em, fields, { from: form.copy_from ?? 0, actor });
      const keys = original ? this.copiedKeys(original, fields) : typed;
      const at = new Date(this.clock.now());
      const sealed = fields.keyMode === '' ? keys : [keys.join('\n')];
      const channels = sealed.map((key) =>
        em.create(Channel, {
          ...fields,
          ...this.sealedFor(fields, key, original),
          status: form.status ?? ChannelStatus.enabled,
          usedQuota: 0,
          createdAt: at,
          evidenceSince: at,
        }),
      );
      await em.flush();
      const channelIds = channels.map(({ id }) => id);
      const [first] = channels;
      const copied = original && { copy_from: original.id };
      const after = { ...(first && describeChannel(stateOf(first))), count: channels.length, ...copied };
      const audit = { ...entry(actor, 'channel-created', channelIds), after };
      await this.changes.publish(em, { channelIds, audit });
      return channelIds;
    }, FRESH);
  }

  /**
   * Changes only the fields that were sent. An empty key keeps the stored key, which may then not be sent to another
   * address.
   */
  async update(patch: ChannelPatch, actor: Caller): Promise<Channel> {
    const fields = fieldsOf(patch);
    await this.checkAddresses(fields);
    return this.em.transactional(async (em) => {
      const channel = await lockChannel(em, patch.id);
      refuseOverwriting(changedSince(stateOf(channel), patch.expected ?? {}), { ...CHANGED, id: channel.id });
      const edit = this.apply(em, channel, { patch, fields, actor });
      const after = stateOf(channel);
      const isChanged = edit.isKeyChanged || edit.moved !== undefined || changedFields(edit.before, after).length > 0;
      if (!isChanged) return channel;
      const audit = {
        ...entry(actor, 'channel-updated', [channel.id]),
        ...describeChange(edit.before, after, edit.isKeyChanged),
      };
      await this.changes.publish(em, { channelIds: [channel.id], moved: edit.moved ? [edit.moved] : [], audit });
      return channel;
    }, FRESH);
  }

  async delete(id: number, actor: Caller): Promise<void> {
    const count = await this.remove({ id }, actor);
    if (count === 0) throw new AppError('not-found', 'channel-not-found', '渠道不存在');
  }

  /** Returns the number of deleted channels. */
  deleteMany(
    { ids, only_disabled: onlyDisabled = false }: z.output<typeof deleteChannelsSchema>,
    actor: Caller,
  ): Promise<number> {
    return this.remove({ id: { $in: ids }, ...(onlyDisabled && DISABLED) }, actor);
  }

  deleteDisabled(actor: Caller): Promise<number> {
    return this.remove(DISABLED, actor);
  }

  /** Rebuilds the abilities of all channels. Returns the number of channels. */
  async fixAbilities(actor: Caller): Promise<number> {
    return this.em.transactional(async (em) => {
      const channels = await lockChannels(em, {});
      const audit = { ...entry(actor, 'abilities-rebuilt', []), after: { count: channels.length } };
      await this.changes.publish(em, { channelIds: channels.map(({ id }) => id), audit });
      return channels.length;
    }, FRESH);
  }

  private apply(
    em: EntityManager,
    channel: Channel,
    { patch, fields, actor }: { patch: ChannelPatch; fields: Partial<ChannelFields>; actor: Caller },
  ): Edit {
    const before = stateOf(channel);
    Object.assign(channel, fields);
    channel.other = otherOf(channel);
    assertMayMoveKey({ before, after: channel, enteredKey: patch.key }, actor);
    const isMoved = IDENTITY.some((field) => channel[field] !== before[field]);
    // Unchanged fields are not checked, so that a channel whose type is no longer supported can still be renamed or
    // disabled.
    if (isMoved) checkFields(channel);
    if (channel.type !== before.type || channel.other !== before.other) checkOther(channel);
    checkTexts(channel, changedFields(before, stateOf(channel)));
    if (isMoved || channel.keyMode !== before.keyMode) checkKeyMode(channel);
    const isKeyChanged = this.replaceKey(channel, patch.key);
    this.checkKeys(channel, before, isKeyChanged);
    if (channel.type !== before.type && !isKeyChanged) this.checkStoredKey(channel);
    if (isMoved || isKeyChanged) channel.forgetEvidence(new Date(this.clock.now()));
    const to = patch.status === ChannelStatus.autoDisabled ? undefined : patch.status;
    const moved =
      to === undefined
        ? undefined
        : this.changes.move(em, channel, { to, cause: 'manual', reason: '', actorId: actor.userId });
    return { before, moved, isKeyChanged };
  }

  /** The channel whose keys a copy has, under the rule for an update: they go to no other address. */
  private async originalOf(
    em: EntityManager,
    fields: ChannelFields,
    { from, actor }: { from: number; actor: Caller },
  ): Promise<Channel> {
    const original = await lockChannel(em, from);
    assertMayMoveKey({ before: original, after: fields, enteredKey: '' }, actor);
    return original;
  }

  private copiedKeys(original: Channel, fields: ChannelFields): string[] {
    const text = this.keys.open(original);
    const keys = original.keyMode === '' ? [text] : keysOf(text, false);
    if (fields.keyMode === '' && keys.length > 1) throw keyOfSeveral();
    checkKeys(fields, keys);
    return keys;
  }

  /** Of the keys of an original, those that a person switched off stay off. */
  private sealedFor({ keyMode }: ChannelFields, key: string, original: Channel | undefined) {
    if (!original || original.keyMode === '' || keyMode === '') return { ...this.keys.seal(key), keyStates: {} };
    const sealed = this.keys.replace(original, key);
    return { ...sealed, keyStates: retried(sealed.keyStates) };
  }

  private replaceKey(channel: Channel, text: string | null | undefined): boolean {
    const key = pastedText(text ?? '');
    if (key === '' || key === this.storedKey(channel)) return false;
    const keys = channel.keyMode === '' ? [key] : keysOf(key, false);
    checkKeys(channel, keys);
    Object.assign(channel, this.keys.replace(channel, keys.join('\n')));
    return true;
  }

  /**
   * Turning off multi-key mode needs a single key: throws when the stored text has several and no new key was entered.
   */
  private checkKeys(channel: Channel, { keyMode }: ChannelState, isKeyChanged: boolean): void {
    if (channel.keyMode !== '' || keyMode === '') return;
    channel.keyStates = {};
    if (isKeyChanged || keysOf(this.storedKey(channel) ?? '', false).length < 2) return;
    throw keyOfSeveral();
  }

  /** The stored key must fit the new type. One that cannot be decrypted has to be entered again anyway. */
  private checkStoredKey(channel: Channel): void {
    const text = this.storedKey(channel);
    if (text === undefined) return;
    const keys = channel.keyMode === '' ? [text] : keysOf(text, false);
    keys.forEach((key, index) => checkKey(channel.type, key, index + 1));
  }

  /** `undefined` when the key was encrypted with a secret key that is gone; entering it again repairs the channel. */
  private storedKey(channel: Channel): string | undefined {
    try {
      return this.keys.open(channel);
    } catch {
      return undefined;
    }
  }

  private remove(where: Parameters<typeof lockChannels>[1], actor: Caller): Promise<number> {
    return this.em.transactional(async (em) => {
      const channels = await lockChannels(em, where);
      if (channels.length === 0) return 0;
      const channelIds = channels.map(({ id }) => id);
      const before = namedChannels(channels.map(({ id, name }) => ({ id, name })));
      const audit = { ...entry(actor, 'channel-deleted', channelIds), before };
      await em.nativeDelete(Channel, { id: { $in: channelIds } });
      await em.nativeDelete(TestResult, { channelId: { $in: channelIds } });
      await this.changes.publish(em, { channelIds, audit });
      return channels.length;
    }, FRESH);
  }

  /** A host name that does not resolve yet may be saved: the policy is applied again on each connection. */
  private async checkAddresses({ baseUrl = '', setting = '' }: Partial<Pick<Channel, 'baseUrl' | 'setting'>>) {
    if (baseUrl !== '') await this.outbound.check(baseUrl, 'channel').catch(refusedAt('base_url'));
    await this.outbound.checkProxy(proxyOf({ setting }), 'channel').catch(refusedAt('setting'));
  }
}

const refusedAt =
  (field: string) =>
  (error: unknown): void => {
    if (error instanceof AppError) throw error.at(field);
  };

/** Empty for a copy that has the keys of its original. */
const typedKeys = (text: string | null | undefined, type: number): string[] =>
  text == null ? [] : keysOf(text, findChannelType(type)?.keyIsJson === true);

function checkKeys(fields: Pick<ChannelFields, 'type' | 'keyMode'>, keys: readonly string[]): void {
  checkKeyCount(fields, keys.length);
  keys.forEach((key, index) => checkKey(fields.type, key, index + 1));
}

const keyOfSeveral = (): AppError =>
  new AppError('invalid', 'channel-key-of-several', '关闭多密钥模式时，请填写要保留的密钥', { field: 'key' });

const CHANGED = { code: 'channel-changed-meanwhile', message: '该渠道已被他人修改，请刷新后重试' };

const entry = (actor: Caller, action: AuditAction, channelIds: readonly number[]): AuditEntry => ({
  actorId: actor.userId,
  action,
  subject: channelIds.length === 1 ? `channel:${channelIds[0]}` : 'channels',
});
