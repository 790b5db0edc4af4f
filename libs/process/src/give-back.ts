import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds after the start at which everything that only the start needed is garbage. */
const AFTER_MS = 5000;
/** Interval at which an idle process is checked for memory left by a burst of work. */
const EVERY_MS = 30_000;
/** Share of a core up to which a process counts as idle. */
const REST = 0.02;
const WORTH_BYTES = 32 * 1024 * 1024;

/** CPU share since the last check, bytes of memory held now, and bytes held after the last collection. */
interface Rest {
  busy: number;
  held: number;
  heldThen: number;
}

/**
 * Whether to collect garbage now: nothing is delayed in an idle process, and the collector on its own would keep much of
 * the memory that a burst has added until the next burst.
 */
export const isWorthTidying = ({ busy, held, heldThen }: Rest): boolean =>
  busy < REST && held - heldThen >= WORTH_BYTES;

/** Bytes of memory that heap and buffers occupy, whether in use or not. */
function heldNow(): number {
  const { heapTotal, external } = process.memoryUsage();
  return heapTotal + external;
}

/**
 * Returns memory to the system: soon after the start what only loading the code took, which is a third of an idle
 * process, and later what a burst of work has left. A process with the relay keeps its compiled code and the size of
 * its heap, because rebuilding both under load would cost a third of its speed; that is why V8's memory reducer is off
 * there (`--no-memory-reducer`).
 */
export function giveBackMemory(flavor: 'regular' | 'last-resort'): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  setFlagsFromString('--no-expose-gc');
  let heldThen = Infinity;
  const tidy = (): void => {
    collect({ type: 'major', execution: 'sync', flavor });
    heldThen = heldNow();
  };
  setTimeout(tidy, AFTER_MS).unref();
  let spent = process.cpuUsage();
  setInterval(() => {
    const { user, system } = process.cpuUsage(spent);
    spent = process.cpuUsage();
    const busy = (user + system) / 1000 / EVERY_MS;
    if (isWorthTidying({ busy, held: heldNow(), heldThen })) tidy();
  }, EVERY_MS).unref();
}
