import type { ServiceName } from '@tollgate/contracts';
import type { KeyValue } from '../key-value/key-value.js';
import type { Logger } from '../log/logger.js';
import type { Lifecycle } from './lifecycle.js';
import { periodically } from './periodic.js';

/** Numbers by name, which an owner increments with each change of what other services keep in read models. */
export type Revisions = Readonly<Record<string, number>>;

/** Milliseconds between broadcasts of an owner's revisions, and between polls of a replica that received none. */
const EVERY_MS = 1000;
/** Milliseconds without a broadcast after which an owner counts as silent. */
const SILENT_MS = 1500;

const channelOf = (owner: ServiceName): string => `revisions:${owner}`;

export interface Surroundings {
  lifecycle: Lifecycle;
  logger: Logger;
  keyValue: Pick<KeyValue, 'publish' | 'subscribe'>;
}

/** Broadcasts the owner's revisions once a second, so that followers need not poll. Only one replica of the owner does this. */
export function broadcastRevisions(
  { lifecycle, logger, keyValue }: Surroundings,
  owner: ServiceName,
  broadcasts: () => boolean,
  read: () => Promise<Revisions>,
): void {
  periodically({ lifecycle, logger }, 'broadcast of revisions', EVERY_MS, async () => {
    if (broadcasts()) await keyValue.publish(channelOf(owner), JSON.stringify(await read()));
  });
}

interface Follower {
  owner: ServiceName;
  /** What is followed; used in log messages. */
  name: string;
  /** Whether the read model is at least at these revisions. */
  isCurrent(revisions: Revisions): boolean;
  /** Fetches from the owner and brings the read model up to date. */
  poll(): Promise<void>;
}

/**
 * Keeps a read model within a second of its owner: polls when the owner broadcasts a newer revision, and once a second while the owner is
 * silent. The returned function triggers a poll now.
 */
export function followRevisions(
  { lifecycle, logger, keyValue }: Surroundings,
  { owner, name, isCurrent, poll }: Follower,
): () => void {
  let lastMessageAt = -Infinity;
  let isWanted = false;
  const run = periodically({ lifecycle, logger }, name, EVERY_MS, async () => {
    if (!isWanted && performance.now() - lastMessageAt < SILENT_MS) return;
    isWanted = false;
    await poll();
  });
  const pollNow = (): void => {
    isWanted = true;
    run();
  };
  lifecycle.onReady(async () => {
    const stop = await keyValue.subscribe(channelOf(owner), (message) => {
      lastMessageAt = performance.now();
      if (!isCurrent(JSON.parse(message) as Revisions)) pollNow();
    });
    lifecycle.onDrain(stop);
  });
  return pollNow;
}
