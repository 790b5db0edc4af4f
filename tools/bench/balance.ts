import { setTimeout as pause } from 'node:timers/promises';
// eslint-disable-next-line @nx/enforce-module-boundaries -- the library's root also loads test suites, which only jest can
import type { Person } from '../../libs/testing/src/test-bed.js';
import { CHAT_PATH, requestBody } from './payload.js';
import type { LoadProgram } from './programs.js';
import type { Stage } from './stage.js';

const PROBERS = 2;
const QUOTA = 1_000_000_000;
const POLL_MS = 50;
const SHOWN_WITHIN_MS = 30_000;
/** Background load while the probes run. */
const NOMINAL_PER_SECOND = 100;
const CONNECTIONS = 32;

export interface ShownBalance {
  rate: number;
  probes: number;
  /** Milliseconds at the 50th and 99th percentile, and the maximum. */
  milliseconds: [number, number, number];
}

/**
 * Measures the time from the last byte of a reply until `/api/user/self` shows the charge, while other requests are
 * served.
 */
export async function measureShownBalance(stage: Stage, load: LoadProgram, seconds: number): Promise<ShownBalance> {
  const probers = await Promise.all(Array.from({ length: PROBERS }, (_, at) => stage.site.user(`prober${at}`, QUOTA)));
  const running = load.run({
    ...stage.relay,
    kind: 'json',
    connections: CONNECTIONS,
    warmSeconds: 1,
    seconds: seconds + 1,
    rate: NOMINAL_PER_SECOND,
  });
  const deadline = performance.now() + seconds * 1000;
  const found = (await Promise.all(probers.map((prober) => probeUntil(stage, prober, deadline)))).flat();
  await running;
  const sorted = Float64Array.from(found).sort();
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { rate: NOMINAL_PER_SECOND, probes: found.length, milliseconds: [at(0.5), at(0.99), at(1)] };
}

async function probeUntil(stage: Stage, prober: Person, deadline: number): Promise<number[]> {
  const key = await stage.site.token(prober);
  const found: number[] = [];
  while (performance.now() < deadline) found.push(await probe(stage, prober, key));
  return found;
}

const quotaOf = async (prober: Person): Promise<number> =>
  (await prober.data<{ quota: number }>('GET', '/api/user/self')).quota;

async function probe({ site }: Stage, prober: Person, key: string): Promise<number> {
  const before = await quotaOf(prober);
  const reply = await fetch(`${site.url}${CHAT_PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: new Uint8Array(requestBody('json')),
  });
  await reply.arrayBuffer();
  if (reply.status !== 200) throw new Error(`a probe got ${reply.status}`);
  const endedAt = performance.now();
  while ((await quotaOf(prober)) === before) {
    if (performance.now() - endedAt > SHOWN_WITHIN_MS) throw new Error('a request was not booked in time');
    await pause(POLL_MS);
  }
  return performance.now() - endedAt;
}
