import type { RoutedChannel } from '@tollgate/contracts';
import { preferredOf } from './affinity.js';

/** Added to every weight, so that a channel of weight 0 still gets traffic. */
const SMOOTHING = 10;

/** Channels of one priority. */
interface Tier {
  readonly channels: readonly RoutedChannel[];
  /** Cumulative sums of the weights, up to and including the channel at the same index. */
  readonly sums: readonly number[];
  readonly places: ReadonlyMap<number, number>;
}

const known = new WeakMap<readonly RoutedChannel[], readonly Tier[]>();

/**
 * The next channel for a request: of the highest priority that still has an untried channel, drawn by (weight + 10).
 * `random` is uniform in [0, 1). `undefined` when every candidate was tried. The tiers of a list are computed once, so
 * further draws from it hardly depend on the number of channels. A conversation always gets the same channel of a tier,
 * where its prompt is cached.
 */
export function chooseChannel(
  candidates: readonly RoutedChannel[],
  tried: ReadonlySet<number>,
  random: () => number,
  conversation?: string,
): RoutedChannel | undefined {
  let tiers = known.get(candidates);
  if (!tiers) known.set(candidates, (tiers = tiersOf(candidates)));
  for (const tier of tiers) {
    const chosen = conversation === undefined ? draw(tier, tried, random) : preferred(tier, tried, conversation);
    if (chosen) return chosen;
  }
  return undefined;
}

function tiersOf(candidates: readonly RoutedChannel[]): Tier[] {
  const byPriority = new Map<number, RoutedChannel[]>();
  for (const channel of candidates) {
    const tier = byPriority.get(channel.priority);
    if (tier) tier.push(channel);
    else byPriority.set(channel.priority, [channel]);
  }
  return [...byPriority].sort(([one], [other]) => other - one).map(([, channels]) => tierOf(channels));
}

function tierOf(channels: readonly RoutedChannel[]): Tier {
  let sum = 0;
  const sums = channels.map(({ weight }) => (sum += weight + SMOOTHING));
  return { channels, sums, places: new Map(channels.map(({ id }, place) => [id, place])) };
}

const preferred = ({ channels }: Tier, tried: ReadonlySet<number>, conversation: string): RoutedChannel | undefined =>
  preferredOf(tried.size === 0 ? channels : channels.filter(({ id }) => !tried.has(id)), conversation, {
    name: ({ id }) => String(id),
    weight: ({ weight }) => weight + SMOOTHING,
  });

/** Draws a point on the line of cumulative weights, from which the intervals of the tried channels are cut out. */
function draw(tier: Tier, tried: ReadonlySet<number>, random: () => number): RoutedChannel | undefined {
  const { channels, sums } = tier;
  if (tried.size === 0) return channels[indexAt(sums, random() * (sums.at(-1) ?? 0))] ?? channels.at(-1);
  const cut = [...tried].flatMap((id) => tier.places.get(id) ?? []).sort((one, other) => one - other);
  if (cut.length === channels.length) return undefined;
  const widthOf = (place: number): number => (channels[place]?.weight ?? 0) + SMOOTHING;
  const total = cut.reduce((left, place) => left - widthOf(place), sums.at(-1) ?? 0);
  let point = random() * total;
  for (const place of cut) if (point >= (sums[place] ?? 0) - widthOf(place)) point += widthOf(place);
  return channels[indexAt(sums, point)] ?? channels.findLast(({ id }) => !tried.has(id));
}

/** The first index whose sum is above the point (binary search). */
function indexAt(sums: readonly number[], point: number): number {
  let [low, high] = [0, sums.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) > point) high = middle;
    else low = middle + 1;
  }
  return low;
}
