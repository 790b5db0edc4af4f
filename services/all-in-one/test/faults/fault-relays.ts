import { setTimeout as pause } from 'node:timers/promises';
import { isAlive } from '@tollgate/embedded';
import { readUntil } from '@tollgate/testing';
import { untilEnded, untilReplaced } from '../cluster/cluster.js';
import type { Load } from './fault-load.js';
import { early, type FaultRow, unless } from './fault-row.js';
import type { FaultStage } from './fault-stage.js';

const STREAMS = 200;
/** Slow enough for the other relay to restart meanwhile, and fast enough for the drain time of the stage. */
const WORDS_PER_SECOND = 1.5;
/** Gateways check readiness once a second. */
const GATEWAYS_LOOK_MS = 1_500;
const OPEN_HOLDS = 'tollgate_relay_open_holds';
const LOOK_MS = 50;
const NOTICED_MS = 10_000;
/** Longer than the streams are. */
const ENDED_MS = 120_000;

/**
 * As in a rollout: the second relay is replaced while the first one takes all requests, then the first one is stopped.
 * It must be unready while its streams run, all of them must complete, and then it must exit. Whether each stream is
 * complete and booked once is checked as for every other request.
 */
async function stopWithOpenStreams(stage: FaultStage, load: Load): Promise<string[]> {
  const other = stage.pidOf('relay-2');
  process.kill(other, 'SIGTERM');
  await pause(GATEWAYS_LOOK_MS);
  const streams = load.streams(STREAMS + 10, WORDS_PER_SECOND);
  const open = await readUntil(
    () => stage.metric('relay-1', OPEN_HOLDS),
    (count) => count >= STREAMS,
    15_000,
  );
  await untilReplaced(stage.cluster, 'relay-2', other);
  await pause(GATEWAYS_LOOK_MS);
  const pid = stage.pidOf('relay-1');
  const { probePort = 0 } = stage.cluster.run().processes.find(({ name }) => name === 'relay-1') ?? {};
  process.kill(pid, 'SIGTERM');
  const whenUnready = await untilUnready(stage, probePort);
  let openAtEnd = whenUnready;
  for (let waited = 0; waited < ENDED_MS && isAlive(pid); waited += LOOK_MS) {
    openAtEnd = await stage.metric('relay-1', OPEN_HOLDS).catch(() => openAtEnd);
    await pause(LOOK_MS);
  }
  await untilEnded(pid);
  await streams;
  await untilReplaced(stage.cluster, 'relay-1', pid);
  return [
    ...unless(open >= STREAMS, `only ${open} streams were open`),
    ...unless(
      whenUnready >= STREAMS / 2,
      `${whenUnready} streams were open when the relay said that it wants no traffic`,
    ),
  ];
}

/** The number of running streams when the relay becomes unready; 0 if it never does. */
async function untilUnready(stage: FaultStage, probePort: number): Promise<number> {
  for (let waited = 0; waited < NOTICED_MS; waited += LOOK_MS) {
    const { status } = await fetch(`http://127.0.0.1:${probePort}/readyz`).catch(() => ({ status: 0 }));
    if (status === 503) return stage.metric('relay-1', OPEN_HOLDS);
    if (status === 0) return 0;
    await pause(LOOK_MS);
  }
  return 0;
}

export const relayRows: readonly FaultRow[] = [
  {
    name: 'a relay told to stop with 200 open streams',
    seconds: 30,
    mayFail: false,
    when: early,
    inject: stopWithOpenStreams,
  },
];
