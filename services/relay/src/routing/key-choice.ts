import { Injectable } from '@nestjs/common';
import type { Attempt, RoutedChannel } from '@tollgate/contracts';
import { growingCache } from '@tollgate/chassis';
import { preferredOf } from './affinity.js';

/** A channel as it is called: with one of its keys, which has a name where there are several. */
export type KeyedChannel = RoutedChannel & { readonly keyId?: string };

/** A key that was refused is passed over for so long, until its owner has looked at it; one that is busy as well. */
const PAUSE_MS = 30_000;
const MOST_PAUSES = 10_000;
/** A request tries so many other keys of its channels beside what `RetryTimes` allows. */
export const MORE_KEYS = 2;
/** So many more for an answer that one of them has made. */
export const MORE_ELSEWHERE = 15;
/** Faults that another key of the same channel may not have. */
const OF_KEY: ReadonlySet<Attempt['class']> = new Set<Attempt['class']>(['credential', 'rate-limited']);

const known = new WeakMap<RoutedChannel, readonly KeyedChannel[]>();

/** The same channel once for each key, made once: what is remembered of a channel is remembered of each. */
function keyedOf(channel: RoutedChannel): readonly KeyedChannel[] {
  let found = known.get(channel);
  if (!found) {
    found = channel.keys?.map(({ id, key }) => ({ ...channel, key, keyId: id })) ?? [channel];
    known.set(channel, found);
  }
  return found;
}

/** Where a prompt is kept: an account at a provider, which is a key. */
export const placeOf = ({ id, keyId }: KeyedChannel): string => (keyId === undefined ? String(id) : `${id}/${keyId}`);

/** Which of several keys of a channel serves a request. A conversation keeps to its key, as long as that is there and not passed over. */
@Injectable()
export class KeyChoice {
  private readonly turns = new Map<number, number>();
  private readonly pauses = growingCache<string, true>({ most: MOST_PAUSES, ttl: PAUSE_MS });

  /** `tried`: the places of this request so far. Random in [0, 1). */
  pick(
    channel: RoutedChannel,
    tried: ReadonlySet<string>,
    conversation?: string,
    random: () => number = Math.random,
  ): KeyedChannel {
    const all = keyedOf(channel);
    const [only = channel] = all;
    if (all.length < 2) return only;
    const fresh = all.filter((one) => !tried.has(placeOf(one)));
    const able = fresh.filter((one) => !this.pauses.has(placeOf(one)));
    const open = able.length > 0 ? able : fresh;
    const chosen =
      conversation === undefined
        ? open[this.drawn(channel, open.length, random)]
        : preferredOf(open, conversation, { name: placeOf, weight: () => 1 });
    return chosen ?? only;
  }

  /** Whether the channel has a key that was not tried yet. */
  hasOther(channel: RoutedChannel, tried: ReadonlySet<string>): boolean {
    return keyedOf(channel).some((one) => !tried.has(placeOf(one)));
  }

  /** Notes what a key has failed with. True: another one, which was not tried yet, may serve the same request. */
  failed(channel: RoutedChannel, place: string, fault: Attempt['class'], tried: ReadonlySet<string>): boolean {
    if (keyedOf(channel).length < 2 || !OF_KEY.has(fault)) return false;
    this.pauses.set(place, true);
    return this.hasOther(channel, tried);
  }

  private drawn({ id, keyMode }: RoutedChannel, count: number, random: () => number): number {
    if (keyMode !== 'polling') return Math.floor(random() * count);
    const turn = this.turns.get(id) ?? 0;
    this.turns.set(id, (turn + 1) % Number.MAX_SAFE_INTEGER);
    return turn % count;
  }
}
