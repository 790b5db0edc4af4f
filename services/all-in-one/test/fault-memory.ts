import { setTimeout as pause } from 'node:timers/promises';
import { type FaultRow, unless } from './fault-row.js';
import type { FaultStage } from './fault-stage.js';

/** As long as the hosts of a broker may be away. */
const AWAY_MS = 600_000;
const LOOK_MS = 5_000;
/** The first looks see programs that warm up and connections that are given up. */
const SETTLED = 0.3;
const AT_END = 0.2;
const MEGABYTE = 1024 * 1024;
/** What a heap may swing by between two collections. Ten minutes of requests that were kept in memory would be more. */
const SWING = 48 * MEGABYTE;
const RATE = 12;

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

/** Resident bytes of each process, look by look. */
async function watch(stage: FaultStage): Promise<Map<string, number[]>> {
  const seen = new Map<string, number[]>(stage.cluster.run().processes.map(({ name }) => [name, []]));
  for (const until = performance.now() + AWAY_MS; performance.now() < until; await pause(LOOK_MS))
    for (const [name, looks] of seen)
      looks.push(await stage.metric(name, 'process_resident_memory_bytes').catch(() => Number.NaN));
  return seen;
}

function growth([name, looks]: [string, number[]]): string[] {
  const known = looks.filter((bytes) => !Number.isNaN(bytes));
  const before = median(known.slice(Math.floor(known.length * SETTLED), Math.ceil(known.length * (SETTLED + AT_END))));
  const after = median(known.slice(Math.floor(known.length * (1 - AT_END))));
  const more = Math.round((after - before) / MEGABYTE);
  return unless(after - before <= SWING, `${name} grew by ${more} MiB to ${Math.round(after / MEGABYTE)} MiB`);
}

/** Clients ask on while nothing can be sent: what waits is on disk and in tables, and nobody keeps it in memory. */
async function withoutKafka(stage: FaultStage): Promise<string[]> {
  await stage.kafka.stop();
  const seen = await watch(stage);
  const spooled = await stage.spooled();
  await stage.kafka.start();
  return [...unless(spooled > 0, 'nothing waited in the spools'), ...[...seen].flatMap(growth)];
}

const seconds = AWAY_MS / 1_000 + 4;

export const memoryRows: readonly FaultRow[] = [
  {
    name: 'Kafka away for ten minutes, in flat memory',
    seconds,
    requests: Math.round(seconds * RATE),
    mayFail: false,
    when: (load) => load.isInFullSwing(0.01),
    inject: withoutKafka,
  },
];
