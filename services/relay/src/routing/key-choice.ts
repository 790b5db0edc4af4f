import { Injectable } from '@nestjs/common';
import type { Attempt, RoutedChannel } from '@tollgate/contracts';
import { growingCache } from '@tollgate/chassis';
import { preferredOf } from './affinity.js';

/** A channel together with the key to use; `keyId` is set where the channel has several keys. */
export type KeyedChannel = RoutedChannel & { readonly keyId?: string };

/** How long a key is skipped after it was refused or rate-limited, in milliseconds; by then the channel service has decided. */
const PAUSE_MS = 30_000;
const MOST_PAUSES = 10_000;
/** Faults that another key of the same channel may not have. */
const OF_KEY: ReadonlySet<Attempt['class']> = new Set<Attempt['class']>(['credential', 'rate-limited']);

const known = new WeakMap<RoutedChannel, readonly KeyedChannel[]>();

/** The channel once per key. The objects are cached, because facts are cached by object identity. */
function keyedOf(channel: RoutedChannel): readonly KeyedChannel[] {
  let found = known.get(channel);
  if (!found) {
    found = channel.keys?.map(({ id, key }) => ({ ...channel, key, keyId: id })) ?? [channel];
    known.set(channel, found);
    // Asked of one of them, the answer is the same: its copies would be other objects.
    for (const one of found) known.set(one, found);
  }
  return found;
}

/** Where a provider caches a prompt: per account, that is per key. */
export const placeOf = ({ id, keyId }: KeyedChannel): string => (keyId === undefined ? String(id) : `${id}/${keyId}`);

/**
 * Chooses which of a channel's keys serves a request. A conversation keeps its key while that exists and is not paused.
 */
@Injectable()
export class KeyChoice {
  private readonly turns = new Map<number, number>();
  private readonly pauses = growingCache<string, true>({ most: MOST_PAUSES, ttl: PAUSE_MS });

  /** `tried`: the places this request has tried. `random` is in [0, 1). */
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

  /** Whether the channel has an untried key. */
  hasOther(channel: RoutedChannel, tried: ReadonlySet<string>): boolean {
    return keyedOf(channel).some((one) => !tried.has(placeOf(one)));
  }

  /** Notes the failure of a key. True when another, untried key may serve the same request. */
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
