import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** When what was needed for the start only is garbage. */
const AFTER_MS = 5000;

/**
 * Gives the system back what loading the code took and running it does not need, a third of an idle process. One that relays keeps its
 * compiled code and the room of its heap: it would have to make both again under load, which costs a third of its speed.
 */
export function giveBackStartMemory(flavor: 'regular' | 'last-resort'): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  setFlagsFromString('--no-expose-gc');
  setTimeout(() => collect({ type: 'major', execution: 'sync', flavor }), AFTER_MS).unref();
}
