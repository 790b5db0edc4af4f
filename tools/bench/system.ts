import { setTimeout as pause } from 'node:timers/promises';
import { cpuSeconds, residentMegabytes, treeCpuSeconds, treeMegabytes } from './cpu.js';
import type { LoadProgram } from './programs.js';
import type { Stage, WatchedProcess } from './stage.js';

const CONNECTIONS = 32;
/** Until V8 has optimised the code, its compilation costs more than the requests. */
const WARM_SECONDS = 20;
const LOAD_SECONDS = 10;
/**
 * Pause after everything is booked, in which leases are given back and connections time out, before idle cost is
 * measured.
 */
const CALM_SECONDS = 10;
const IDLE_SECONDS = 20;

export interface SystemShare {
  name: string;
  /** CPU microseconds per request, until all requests are booked and logged. */
  microseconds: number;
  /** Share of one core without any requests. */
  idle: number;
  /** Megabytes of all its processes, after the installation has been calm for a while. */
  megabytes: number;
}

export interface SystemCost {
  requests: number;
  shares: SystemShare[];
}

export const cpuOf = ({ pid, isTree }: WatchedProcess): number => (isTree ? treeCpuSeconds(pid) : cpuSeconds(pid));
const memoryOf = ({ pid, isTree }: WatchedProcess): number => (isTree ? treeMegabytes(pid) : residentMegabytes(pid));

/**
 * Measures the CPU cost of a JSON request in every process that takes part in it, and the cost of the same processes
 * without requests.
 */
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
