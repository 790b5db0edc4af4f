import { setTimeout as pause } from 'node:timers/promises';
import { type FaultRow, unless } from './fault-row.js';
import type { FaultStage } from './fault-stage.js';

/**
 * How long the broker is stopped; if it is not set, there is no such row. Operators' brokers may be unreachable for ten
 * minutes.
 */
const AWAY_SECONDS = Number(process.env.TOLLGATE_FAULTS_AWAY ?? 0);
/**
 * Enough requests to reach the limit of records that a relay keeps in memory (16 M characters) by the middle of the
 * run.
 */
const REQUESTS = 36_000;
const LOOKS = 20;
/**
 * From this share of the run on, a request leaves in memory only where its record is on disk, a few hundred bytes; a
 * record has more than two thousand.
 */
const FROM = 0.6;
const BYTES_A_REQUEST = 1_024;
const MEGABYTE = 1024 * 1024;

interface Look {
  /** Requests that wait in all spools. */
  kept: number;
  /** Heap size of each process in bytes, after a garbage collection. */
  heaps: ReadonlyMap<string, number>;
}

async function look(stage: FaultStage): Promise<Look> {
  const heaps = new Map<string, number>();
  for (const { name } of stage.cluster.run().processes) heaps.set(name, await stage.heapOf(name));
  return { kept: await stage.spooled(), heaps };
}

async function watch(stage: FaultStage): Promise<Look[]> {
  const looks: Look[] = [];
  for (let number = 1; number <= LOOKS; number += 1) {
    await pause((AWAY_SECONDS * 1_000) / LOOKS);
    looks.push(await look(stage));
  }
  return looks;
}

/** Growth of each process's memory in the second part, per request that its relay stored meanwhile. */
function growth(stage: FaultStage, looks: readonly Look[]): string[] {
  const [first, last] = [looks[Math.floor(looks.length * FROM) - 1], looks.at(-1)];
  if (!first || !last) return ['nobody looked'];
  const relays = stage.cluster.run().processes.filter(({ service }) => service === 'relay').length;
  const kept = (last.kept - first.kept) / relays;
  const lines = [...last.heaps].map(([name, bytes]) => {
    const more = bytes - (first.heaps.get(name) ?? 0);
    const text = `${name}: ${(bytes / MEGABYTE).toFixed(1)} MiB at the end, ${Math.round(more / kept)} bytes more a request`;
    return { text, isFlat: more <= kept * BYTES_A_REQUEST };
  });
  process.stdout.write(`${Math.round(kept)} requests a relay\n${lines.map(({ text }) => `  ${text}\n`).join('')}`);
  return [
    ...unless(kept * relays >= REQUESTS * (1 - FROM) * 0.7, `only ${Math.round(kept)} requests waited in a relay`),
    ...lines.filter(({ isFlat }) => !isFlat).map(({ text }) => text),
  ];
}

/** Clients continue while nothing can be sent: waiting events must be on disk and in tables, not in memory. */
async function withoutKafka(stage: FaultStage): Promise<string[]> {
  await stage.kafka.stop();
  const looks = await watch(stage);
  await stage.kafka.start();
  return growth(stage, looks);
}

const row = (): FaultRow => ({
  name: 'Kafka away for long, in flat memory',
  seconds: AWAY_SECONDS + 10,
  requests: REQUESTS,
  mayFail: false,
  when: (load) => load.isInFullSwing(0.001),
  inject: withoutKafka,
});

export const memoryRows: readonly FaultRow[] = AWAY_SECONDS > 0 ? [row()] : [];
