import { isTimeout } from '@tollgate/contracts/channel-settings';
import type { ChannelSetting } from '@tollgate/providers';

/**
 * How calls of a channel go out, and how long they may take, in milliseconds; `Infinity` leaves it to the limits of the process. Of a
 * realtime session only the time until it is opened is limited by its channel.
 */
export interface Way {
  /** Empty for none. */
  readonly proxy: string;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

export const directly: Way = { proxy: '', firstByteMs: Infinity, idleMs: Infinity, totalMs: Infinity };

const milliseconds = (seconds: unknown): number => (isTimeout(seconds) ? Math.ceil(seconds * 1000) : Infinity);

export const wayOf = ({ proxy, first_byte_timeout, idle_timeout, total_timeout }: ChannelSetting): Way => ({
  proxy: typeof proxy === 'string' ? proxy : '',
  firstByteMs: milliseconds(first_byte_timeout),
  idleMs: milliseconds(idle_timeout),
  totalMs: milliseconds(total_timeout),
});

/** The time for a small reply that is read as a whole: `ms`, or less where the channel has less. */
export const wholeWithin = ({ firstByteMs, totalMs }: Way, ms: number): number => Math.min(ms, firstByteMs, totalMs);

/** Calls `late` when the time for the whole answer is over, unless the returned function is called before. */
export function limitTotal({ totalMs }: Way, late: () => void): () => void {
  if (totalMs === Infinity) return () => undefined;
  const timer = setTimeout(late, totalMs);
  return () => clearTimeout(timer);
}
