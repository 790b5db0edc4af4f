import type { RoutedChannel } from '@tollgate/contracts';

/** Added to every weight, so that a channel of weight 0 still gets traffic. */
const SMOOTHING = 10;

/**
 * The next channel for a request: the highest priority that still has an untried channel, and within it a draw by
 * (weight + 10). `random` is uniform in [0, 1). Undefined when every candidate was tried.
 */
export function chooseChannel(
  candidates: readonly RoutedChannel[],
  tried: ReadonlySet<number>,
  random: () => number,
): RoutedChannel | undefined {
  const open = candidates.filter(({ id }) => !tried.has(id));
  if (open.length === 0) return undefined;
  const priority = open.reduce((highest, channel) => Math.max(highest, channel.priority), -Infinity);
  const tier = open.filter((channel) => channel.priority === priority);
  const total = tier.reduce((sum, { weight }) => sum + weight + SMOOTHING, 0);
  let draw = random() * total;
  for (const channel of tier) {
    draw -= channel.weight + SMOOTHING;
    if (draw < 0) return channel;
  }
  return tier.at(-1);
}
