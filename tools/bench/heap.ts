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
  /** Kilobytes per request that minor collections do not free: the median of the rounds. */
  kilobytes: number;
  /** Lowest and highest round. */
  least: number;
  most: number;
}

/**
 * Measures how much heap a request still occupies after its record is booked and two minor collections have run. Nearly
 * all of it is garbage that only a full collection can free, because unreachable objects of the old generation refer to
 * it. A round in which a full collection happens shows a negative value, hence the median. No time is measured, so the
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
