import { LockMode, type FilterQuery } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError } from '@tollgate/chassis';
import { Channel } from './channel.entity.js';

export const channelNotFound = (): AppError => new AppError('not-found', 'channel-not-found', '渠道不存在');

/** Locks channels in the order of their ids, as all transactions do, and reads their current state. */
export const lockChannels = (em: EntityManager, where: FilterQuery<Channel>): Promise<Channel[]> =>
  em.find(Channel, where, { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, refresh: true });

/** Locks and reads a channel in the caller's transaction. Throws `channel-not-found`. */
export async function lockChannel(em: EntityManager, id: number): Promise<Channel> {
  const [channel] = await lockChannels(em, { id });
  if (!channel) throw channelNotFound();
  return channel;
}

/**
 * Clears the identity map, so that the transaction reads from the database and not what the request has read before.
 */
export const FRESH = { clear: true } as const;
