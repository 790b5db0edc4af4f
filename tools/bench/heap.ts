import { median } from './median.js';
import type { LoadProgram } from './programs.js';
import type { Kind } from './payload.js';
import type { Stage } from './stage.js';

const CONNECTIONS = 32;
const WARM_SECONDS = 20;
const ROUND_SECONDS = 1;
const ROUNDS = 7;

export interface KeptHeap {
  kind: Kind;
  /** Kilobytes that a request leaves behind: the median of the rounds. */
  kilobytes: number;
  /** Of the rounds. */
  least: number;
  most: number;
}

/**
 * What is still in use of a request once its record is booked and what is young was collected twice. It is dead, or nearly all of it: something
 * old that is dead as well leads to it. A round with a full collection in it shows less than nothing, hence the median. No time is measured, so the
 * machine may be busy.
 */
export async function measureKeptHeap(stage: Stage, load: LoadProgram): Promise<KeptHeap[]> {
  const relay = await stage.heapRelay();
  const inUse = async (what: 'all' | 'young'): Promise<number> =>
    Number(await (await fetch(`http://127.0.0.1:${relay.heapPort}/${what}`)).text());
  const kept: KeptHeap[] = [];
  for (const kind of ['json', 'sse'] as const) {
    const ask = async (seconds: number): Promise<number> => {
      const order = { port: relay.port, key: relay.key, kind, connections: CONNECTIONS, warmSeconds: 0, seconds };
      const { requests, failures, failure } = await load.run(order);
      if (failures > 0 || requests === 0) throw new Error(`${failures} failures, the first one: ${failure}`);
      await relay.settled();
      return requests;
    };
    await ask(WARM_SECONDS);
    let before = await inUse('all');
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const requests = await ask(ROUND_SECONDS);
      const now = await inUse('young');
      rounds.push((now - before) / 1000 / requests);
      before = now;
    }
    kept.push({ kind, kilobytes: median(rounds), least: Math.min(...rounds), most: Math.max(...rounds) });
  }
  return kept;
}
