import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { type AuditAction, ChannelStatus } from '@tollgate/contracts';
import { splitNames, type tagChannelsSchema, type updateTagSchema } from '@tollgate/contracts/api/channel';
import { AppError, type Caller } from '@tollgate/chassis';
import type { z } from 'zod';
import { type Change, changedFields, describeChange, namedChannels, stateOf } from '../channel/channel-audit.js';
import { type AuditEntry, ChannelChanges, type Moved } from '../channel/channel-changes.js';
import { type ChannelFields, fieldsOf, wireNameOf } from '../channel/channel-fields.js';
import { checkTexts } from '../channel/channel-rules.js';
import { FRESH, lockChannels } from '../channel/channel-store.js';
import type { Channel } from '../channel/channel.entity.js';

type TagEdit = z.output<typeof updateTagSchema>;

const tagNotFound = (tag: string): AppError =>
  new AppError('not-found', 'tag-not-found', '标签不存在', { params: { tag } });

/** Changes all channels of a tag at once. Routing ignores tags. */
@Injectable()
export class TagService {
  constructor(
    private readonly em: EntityManager,
    private readonly changes: ChannelChanges,
  ) {}

  /** Returns how many of the channels exist. */
  async tag({ ids, tag }: z.output<typeof tagChannelsSchema>, actor: Caller): Promise<number> {
    return this.em.transactional(async (em) => {
      const channels = await lockChannels(em, { id: { $in: ids } });
      const changed = channels.filter((channel) => channel.tag !== tag);
      const before = namedChannels(changed.map(({ id, tag: former }) => ({ id, tag: former })));
      for (const channel of changed) channel.tag = tag;
      if (changed.length > 0) {
        const audit = {
          ...entry(actor, 'channels-tagged', tag),
          before,
          after: { tag, channels: changed.map(({ id }) => id) },
        };
        await this.changes.publish(em, { channelIds: [], audit });
      }
      return channels.length;
    }, FRESH);
  }

  async update({ tag, ...edit }: TagEdit, actor: Caller): Promise<void> {
    const fields = editOf(edit);
    await this.em.transactional(async (em) => {
      const channels = await this.lock(em, tag);
      const changed = channels.map((channel) => overwrite(channel, fields)).filter((one) => one !== undefined);
      const channelIds = changed.map(({ id }) => id);
      if (channelIds.length === 0) return;
      const after = Object.fromEntries(
        Object.entries(fields).map(([field, value]) => [wireNameOf(field as keyof ChannelFields), value]),
      );
      const audit = {
        ...entry(actor, 'tag-updated', tag),
        before: namedChannels(changed),
        after: { ...after, count: channelIds.length },
      };
      await this.changes.publish(em, { channelIds, audit });
    }, FRESH);
  }

  enable(tag: string, actor: Caller): Promise<void> {
    return this.switchAll(tag, ChannelStatus.enabled, actor);
  }

  disable(tag: string, actor: Caller): Promise<void> {
    return this.switchAll(tag, ChannelStatus.disabled, actor);
  }

  private async switchAll(tag: string, to: number, actor: Caller): Promise<void> {
    await this.em.transactional(async (em) => {
      const channels = await this.lock(em, tag);
      const before = namedChannels(
        channels.filter(({ status }) => status !== to).map(({ id, status }) => ({ id, status })),
      );
      const moved = channels
        .map((channel) => this.changes.move(em, channel, { to, cause: 'manual', reason: '', actorId: actor.userId }))
        .filter((move): move is Moved => move !== undefined);
      if (moved.length === 0) return;
      const action = to === ChannelStatus.enabled ? 'tag-enabled' : 'tag-disabled';
      const audit = { ...entry(actor, action, tag), before, after: { status: to, count: moved.length } };
      await this.changes.publish(em, { channelIds: moved.map(({ channel }) => channel.id), moved, audit });
    }, FRESH);
  }

  private async lock(em: EntityManager, tag: string): Promise<Channel[]> {
    const channels = await lockChannels(em, { tag });
    if (channels.length === 0) throw tagNotFound(tag);
    return channels;
  }
}

const named = (names?: string | null): string | undefined =>
  names != null && splitNames(names).length > 0 ? names : undefined;

/** Null leaves a field unchanged, and so does an empty list, since a channel needs a model and a group. */
function editOf({
  new_tag: newTag,
  model_mapping: mapping,
  models,
  groups,
  priority,
  weight,
}: Omit<TagEdit, 'tag'>): Partial<ChannelFields> {
  return fieldsOf({
    tag: newTag ?? undefined,
    model_mapping: mapping ?? undefined,
    models: named(models),
    group: named(groups),
    priority: priority ?? undefined,
    weight: weight ?? undefined,
  });
}

/** Returns what the changed fields were, `undefined` if none has changed. Throws for a text that no channel may have. */
function overwrite(channel: Channel, fields: Partial<ChannelFields>): ({ id: number } & Change['before']) | undefined {
  const before = stateOf(channel);
  Object.assign(channel, fields);
  const after = stateOf(channel);
  const changed = changedFields(before, after);
  checkTexts(channel, changed);
  return changed.length > 0 ? { id: channel.id, ...describeChange(before, after).before } : undefined;
}

const entry = (actor: Caller, action: AuditAction, tag: string): AuditEntry => ({
  actorId: actor.userId,
  action,
  subject: `tag:${tag}`,
});
