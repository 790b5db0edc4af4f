import { setTimeout as pause } from 'node:timers/promises';
import { cpuSeconds, residentMegabytes, treeCpuSeconds, treeMegabytes } from './cpu.js';
import type { LoadProgram } from './programs.js';
import type { Stage, WatchedProcess } from './stage.js';

const CONNECTIONS = 32;
/** Code that was never compiled costs more than the requests. */
const WARM_SECONDS = 20;
const LOAD_SECONDS = 10;
/** After everything is booked: polls go on, leases come back, connections time out. */
const CALM_SECONDS = 10;
const IDLE_SECONDS = 20;

export interface SystemShare {
  name: string;
  /** Microseconds of CPU for one request, until all of them are booked and logged. */
  microseconds: number;
  /** Share of a core while nothing happens. */
  idle: number;
  /** With all its processes, when everything has been calm for a while. */
  megabytes: number;
}

export interface SystemCost {
  requests: number;
  shares: SystemShare[];
}

export const cpuOf = ({ pid, isTree }: WatchedProcess): number => (isTree ? treeCpuSeconds(pid) : cpuSeconds(pid));
const memoryOf = ({ pid, isTree }: WatchedProcess): number => (isTree ? treeMegabytes(pid) : residentMegabytes(pid));

/** What a JSON request costs everything that has to do with it, and what the same processes cost while nobody asks for anything. */
export async function measureSystem(stage: Stage, load: LoadProgram): Promise<SystemCost> {
  const { processes, relay } = stage;
  const read = (): number[] => processes.map(cpuOf);
  const order = { port: relay.port, key: relay.key, kind: 'json' as const, connections: CONNECTIONS };
  await load.run({ ...order, warmSeconds: 0, seconds: WARM_SECONDS });
  await stage.settled();
  const before = read();
  const { requests, failures, failure } = await load.run({ ...order, warmSeconds: 0, seconds: LOAD_SECONDS });
  if (failures > 0 || requests === 0) throw new Error(`${failures} failures, the first one: ${failure}`);
  await stage.settled();
  const after = read();
  await pause(CALM_SECONDS * 1000);
  const calm = read();
  await pause(IDLE_SECONDS * 1000);
  const still = read();
  const megabytes = processes.map(memoryOf);
  const spent = (from: number[], to: number[], at: number): number => (to[at] ?? 0) - (from[at] ?? 0);
  const shares = processes.map(({ name }, at) => ({
    name,
    microseconds: (1e6 * spent(before, after, at)) / requests,
    idle: spent(calm, still, at) / IDLE_SECONDS,
    megabytes: megabytes[at] ?? 0,
  }));
  return { requests, shares };
}
