import { LockMode, type FilterQuery } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError } from '@tollgate/chassis';
import { Channel } from './channel.entity.js';

export const channelNotFound = (): AppError => new AppError('not-found', 'channel-not-found', '渠道不存在');

/** Locks in the order of the ids, as everybody does, and reads what is there now. */
export const lockChannels = (em: EntityManager, where: FilterQuery<Channel>): Promise<Channel[]> =>
  em.find(Channel, where, { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, refresh: true });

/** Locks and reads a channel in the caller's transaction. Throws `channel-not-found`. */
export async function lockChannel(em: EntityManager, id: number): Promise<Channel> {
  const [channel] = await lockChannels(em, { id });
  if (!channel) throw channelNotFound();
  return channel;
}

/** Every transaction starts from the database, not from what a request has read before. */
export const FRESH = { clear: true } as const;
