import { fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cpuSeconds, residentMegabytes } from './cpu.js';
import type { StreamCounts } from './open-streams.js';
import type { Stage } from './stage.js';

const STREAMS = 1000;
const OPEN_WITHIN_MS = 60_000;
const SAMPLES = 6;
const POLL_MS = 200;

export interface OpenStreams {
  count: number;
  /** Megabytes of the relay before the first stream. */
  before: number;
  /** Megabytes while all streams are open, sampled at even intervals. */
  samples: number[];
  seconds: number;
  /** Share of one core that the relay uses while all streams are open. */
  busy: number;
  /** Chunks that the clients received in that time. */
  chunks: number;
}

/** Measures the cost of keeping many streams open that send a chunk a second each, in a relay that has just started. */
export async function keepStreamsOpen(stage: Stage, seconds: number): Promise<OpenStreams> {
  const { pid, port, key } = await stage.freshRelay();
  const before = residentMegabytes(pid);
  const client = fork(join(import.meta.dirname, 'open-streams.js'));
  let counts: StreamCounts = { open: 0, lost: 0, chunks: 0 };
  client.on('message', (reported: StreamCounts) => (counts = reported));
  try {
    client.send({ port, key, count: STREAMS });
    const deadline = performance.now() + OPEN_WITHIN_MS;
    while (counts.open < STREAMS) {
      if (counts.lost > 0 || performance.now() > deadline)
        throw new Error(`${counts.open} of ${STREAMS} streams opened, ${counts.lost} were lost`);
      await pause(POLL_MS);
    }
    const cpuBefore = cpuSeconds(pid);
    const chunksBefore = counts.chunks;
    const samples = [residentMegabytes(pid)];
    for (let sample = 1; sample < SAMPLES; sample += 1) {
      await pause((seconds * 1000) / (SAMPLES - 1));
      samples.push(residentMegabytes(pid));
    }
    if (counts.lost > 0) throw new Error(`${counts.lost} of ${STREAMS} open streams were lost`);
    const busy = (cpuSeconds(pid) - cpuBefore) / seconds;
    return { count: STREAMS, before, samples, seconds, busy, chunks: counts.chunks - chunksBefore };
  } finally {
    client.disconnect();
  }
}
