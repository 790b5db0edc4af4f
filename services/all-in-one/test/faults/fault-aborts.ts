import { readdirSync } from 'node:fs';
import { readUntil } from '@tollgate/testing';
import type { Load } from './fault-load.js';
import { type FaultRow, unless } from './fault-row.js';
import type { FaultStage } from './fault-stage.js';
import { KINDS, WORDS } from '../support/witness.js';

const DESERTERS = 10_000;
const AT_ONCE = 50;
const CALM_MS = 30_000;
/**
 * Idle sockets kept for later requests are no leak, as long as their number does not grow with the number of requests.
 */
const SPARE_SOCKETS = 2 * AT_ONCE;
const SPARE_BYTES = 200 * 1024 * 1024;
const RELAYS = ['relay-1', 'relay-2'] as const;
const PROCESSES = [...RELAYS, 'gateway-1', 'gateway-2'] as const;

const filesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

interface Measure {
  name: string;
  files: number;
  bytes: number;
}

const measure = (stage: FaultStage): Promise<Measure[]> =>
  Promise.all(
    PROCESSES.map(async (name) => ({
      name,
      files: filesOf(stage.pidOf(name)),
      bytes: await stage.metric(name, 'process_resident_memory_bytes'),
    })),
  );

const openHolds = async (stage: FaultStage): Promise<number> => {
  const counts = await Promise.all(RELAYS.map((name) => stage.metric(name, 'tollgate_relay_open_holds')));
  return counts.reduce((sum, count) => sum + count, 0);
};

function growth(before: readonly Measure[], after: readonly Measure[]): string[] {
  return after.flatMap(({ name, files, bytes }, index) => {
    const { files: filesBefore, bytes: bytesBefore } = before[index] ?? { files: 0, bytes: 0 };
    const more = Math.round((bytes - bytesBefore) / 1024 / 1024);
    return [
      ...unless(files <= filesBefore + SPARE_SOCKETS, `${name} keeps ${files - filesBefore} more files and sockets`),
      ...unless(bytes <= bytesBefore + SPARE_BYTES, `${name} keeps ${more} MiB more`),
    ];
  });
}

/** Clients disconnect at random moments. The upstream must notice each of them and stop, and no resource may leak. */
async function desert(stage: FaultStage, load: Load): Promise<string[]> {
  const before = await measure(stage);
  const first = load.seen.length;
  await load.desertions(DESERTERS, AT_ONCE);
  const leavers = new Map(
    load.seen
      .slice(first)
      .filter(({ hasLeft, kind }) => hasLeft && KINDS[kind].isStream)
      .map((seen) => [seen.mark, seen]),
  );
  const withBytes = [...leavers.values()].filter(({ received }) => received !== '').length;
  const unheard = (): number =>
    stage.upstream
      .journal()
      .filter(({ body }) => leavers.has(/\bm\d+x\d+\b/.exec(JSON.stringify(body))?.[0] ?? ''))
      .filter(({ clientAborted, wordsSent }) => !clientAborted || wordsSent >= WORDS).length;
  const calm = <T>(look: () => T | Promise<T>, holds: (value: T) => boolean): Promise<T> =>
    readUntil(async () => look(), holds, CALM_MS);
  const goOn = await calm(unheard, (count) => count === 0);
  const held = await calm(
    () => openHolds(stage),
    (count) => count === 0,
  );
  const grown = await calm(
    async () => growth(before, await measure(stage)),
    ({ length }) => length === 0,
  );
  return [
    ...unless(leavers.size >= DESERTERS / 4, `only ${leavers.size} clients left a stream`),
    ...unless(withBytes >= DESERTERS / 8, `only ${withBytes} clients left a stream that had begun`),
    ...unless(goOn === 0, `the upstream went on for ${goOn} clients who had left`),
    ...unless(held === 0, `${held} holds are still open`),
    ...grown,
  ];
}

export const abortRows: readonly FaultRow[] = [
  { name: 'ten thousand clients who hang up', requests: 40, mayFail: false, inject: desert },
];
