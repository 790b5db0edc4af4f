/**
 * `node dist/tools/scale/measure-relays.js` after a build: measures the CPU cost of a JSON request with one, two and
 * four relays under load at once. The relays share one core and everything else the other one, so throughput is that of
 * one core, and only the cost per request can be compared. Writes measured.json, from which `npm run docs` makes
 * docs/scale.md; `npm run bench:scale` does both.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { cpuSeconds } from '../bench/cpu.js';
import { type LoadProgram, startLoad } from '../bench/programs.js';
import { openStage, type Stage, type Target } from '../bench/stage.js';
import { cpuOf } from '../bench/system.js';
import { loadNow, note, type RelaysRow } from './figures.js';

const COUNTS = [1, 2, 4];
/** Connections to all relays together, so that requests wait for the core equally long in each measurement. */
const CONNECTIONS = 32;
/** Until V8 has optimised the code, its compilation costs more than the requests. */
const WARM_SECONDS = 10;
const SECONDS = 10;
/**
 * Relays send what they spooled within a second. The additional relays are given this time instead of being watched
 * through their metrics.
 */
const BOOKED_MS = 3000;

const say = (line: string): void => void process.stderr.write(`relays: ${line}\n`);

async function row(stage: Stage, relays: readonly Target[], loads: readonly LoadProgram[]): Promise<RelaysRow> {
  const ask = async (seconds: number) => {
    const outcomes = await Promise.all(
      relays.map(({ port, key }, at) => {
        const connections = CONNECTIONS / relays.length;
        return (loads[at] as LoadProgram).run({ port, key, kind: 'json', connections, warmSeconds: 0, seconds });
      }),
    );
    const failed = outcomes.find(({ failures }) => failures > 0);
    if (failed) throw new Error(`${failed.failures} failures, the first one: ${failed.failure}`);
    await pause(BOOKED_MS);
    await stage.settled();
    return outcomes.reduce((sum, { requests }) => sum + requests, 0);
  };
  await ask(WARM_SECONDS);
  const others = stage.processes.filter(({ name }) => name !== 'relay');
  const read = (): number[] => [
    relays.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
    others.reduce((sum, one) => sum + cpuOf(one), 0),
  ];
  const before = read();
  const requests = await ask(SECONDS);
  const [own = 0, rest = 0] = read().map((seconds, at) => (1e6 * (seconds - (before[at] ?? 0))) / requests);
  return { relays: relays.length, perSecond: requests / SECONDS, own, rest };
}

const loadBefore = loadNow();
const stage = await openStage({ say });
const loads = Array.from({ length: Math.max(...COUNTS) }, () => startLoad());
try {
  const relays = [stage.relay];
  const rows: RelaysRow[] = [];
  for (const count of COUNTS) {
    while (relays.length < count) relays.push(await stage.freshRelay());
    const measured = await row(stage, relays, loads);
    say(`${count} of them: ${Math.round(measured.own)} µs a request`);
    rows.push(measured);
  }
  note('relays', rows, loadBefore);
} finally {
  for (const load of loads) await load.stop();
  await stage.stop();
}
