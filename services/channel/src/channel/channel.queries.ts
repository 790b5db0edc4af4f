import { Injectable } from '@nestjs/common';
import { type FilterQuery, type QueryOrderMap, raw } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { ChannelStatus } from '@tollgate/contracts';
import { MAX_ID } from '@tollgate/contracts/api/fields';
import type { ChannelCounts, ChannelListQuery } from '@tollgate/contracts/api/channel';
import { likePattern, pageWindow, totalOf } from '@tollgate/database';
import { ChannelKeys } from './channel-keys.js';
import { channelNotFound } from './channel-store.js';
import { Channel } from './channel.entity.js';

export interface ChannelPage {
  channels: Channel[];
  /** Number of channels, or of tags in tag mode. */
  total: number;
}

@Injectable()
export class ChannelQueries {
  constructor(
    private readonly em: EntityManager,
    private readonly keys: ChannelKeys,
  ) {}

  async get(id: number): Promise<Channel> {
    const channel = await this.em.findOne(Channel, { id });
    if (!channel) throw channelNotFound();
    return channel;
  }

  async list(query: ChannelListQuery): Promise<ChannelPage> {
    return query.tag_mode ? this.listByTag(query) : this.listByChannel(query);
  }

  async count(): Promise<ChannelCounts> {
    const rows = await this.em.execute<{ status: number; count: string }[]>(
      'select "status", count(*) as "count" from "channel" group by "status"',
    );
    const of = (status?: number): number =>
      rows.reduce((sum, row) => (status === undefined || row.status === status ? sum + Number(row.count) : sum), 0);
    return {
      all: of(),
      enabled: of(ChannelStatus.enabled),
      disabled: of(ChannelStatus.disabled),
      auto_disabled: of(ChannelStatus.autoDisabled),
    };
  }

  /** The names of those ids that exist. */
  async names(ids: readonly number[]): Promise<Record<string, string>> {
    const channels = await this.em.find(Channel, { id: { $in: [...ids] } }, { fields: ['id', 'name'] });
    return Object.fromEntries(channels.map(({ id, name }) => [String(id), name]));
  }

  private async listByChannel(query: ChannelListQuery): Promise<ChannelPage> {
    const where = this.matching(query);
    const channels = await this.em.find(Channel, where, { ...pageWindow(query), orderBy: orderOf(query) });
    return { channels, total: await totalOf(channels.length, query, () => this.em.count(Channel, where)) };
  }

  /** A page of tags that have a matching channel, with all channels of each tag. */
  private async listByTag(query: ChannelListQuery): Promise<ChannelPage> {
    const { limit, offset } = pageWindow(query);
    const where = { $and: [this.matching(query), { tag: { $ne: '' } }] };
    const tagged = await this.em.find(Channel, where, { fields: ['id', 'tag', 'priority'], orderBy: orderOf(query) });
    const tags = [...new Set(tagged.map(({ tag }) => tag))];
    const page = tags.slice(offset, offset + limit);
    const found = await this.em.find(Channel, { tag: { $in: page } }, { orderBy: orderOf(query) });
    return { channels: page.flatMap((tag) => found.filter((channel) => channel.tag === tag)), total: tags.length };
  }

  private matching({ keyword, group, model, status }: ChannelListQuery): FilterQuery<Channel> {
    const conditions: FilterQuery<Channel>[] = [];
    const word = keyword.trim();
    if (word !== '') conditions.push({ $or: keywordConditions(word, this.keys.hashesFor(word)) });
    if (group.trim() !== '') conditions.push({ groups: { $contains: [group.trim()] } });
    if (model.trim() !== '')
      conditions.push({ [raw(`array_to_string(models, ',')`)]: { $ilike: likePattern(model.trim()) } });
    if (status !== undefined && status !== 0) conditions.push({ status });
    return conditions.length > 0 ? { $and: conditions } : {};
  }
}

const orderOf = ({ id_sort: byId }: ChannelListQuery): QueryOrderMap<Channel>[] =>
  byId ? [{ id: 'desc' }] : [{ priority: 'desc' }, { id: 'desc' }];

/** Keys are encrypted: a whole key is found by its hash, a part of a key cannot be found. */
function keywordConditions(word: string, hashes: string[]): FilterQuery<Channel>[] {
  const like = { $ilike: likePattern(word) };
  // A number too large for an id is searched as plain text only.
  const id = /^\d{1,10}$/.test(word) ? Number(word) : undefined;
  const key = { keyHashes: { $overlap: hashes } };
  return [{ name: like }, { baseUrl: like }, { tag: like }, key, ...(id !== undefined && id <= MAX_ID ? [{ id }] : [])];
}
