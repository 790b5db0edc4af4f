import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** When what was needed for the start only is garbage. */
const AFTER_MS = 5000;
/** How often a process that rests looks whether a burst left something. */
const EVERY_MS = 30_000;
/** Share of a core up to which a process counts as idle. */
const REST = 0.02;
const WORTH_BYTES = 32 * 1024 * 1024;

/** What a process did since it was looked at last, and what it held when it was last tidied, in bytes. */
export interface Rest {
  busy: number;
  held: number;
  heldThen: number;
}

/** Nobody waits for a process that rests, and a burst has grown what it holds: the collector by itself would leave that until the next one. */
export const isWorthTidying = ({ busy, held, heldThen }: Rest): boolean =>
  busy < REST && held - heldThen >= WORTH_BYTES;

/** Bytes that heap and buffers take from the system, used or not. */
function heldNow(): number {
  const { heapTotal, external } = process.memoryUsage();
  return heapTotal + external;
}

/**
 * Gives the system back what loading the code took and running it does not need, a third of an idle process, and later what a burst of
 * work has left. A process that relays keeps its compiled code and the room of its heap: it would have to make both again under load,
 * which costs a third of its speed.
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
