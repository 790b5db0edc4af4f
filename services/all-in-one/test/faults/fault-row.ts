import { untilReplaced } from '../cluster/cluster.js';
import type { Load } from './fault-load.js';
import type { FaultStage } from './fault-stage.js';

/** Everything, and not the short form of it. */
export const FULL = process.env.TOLLGATE_FAULTS === 'full';

export interface FaultRow {
  name: string;
  /** Part of the short form, which has the faults that hit most at once. */
  isShort?: true;
  /** How long clients keep asking, where the fault takes its time, and how many of them. */
  seconds?: number;
  requests?: number;
  /** Declared: some clients see an error while it lasts. Everywhere else one is a failure. */
  mayFail: boolean;
  /** Declared: whoever was signed in has to sign in again. */
  endsSessions?: true;
  /** The moment of the harm; by default in full swing. */
  when?(load: Load): boolean;
  /** Does the harm while clients ask; resolves when its cause is gone, to what went wrong besides, in words. */
  inject(stage: FaultStage, load: Load): Promise<string[] | void>;
}

export const early = (load: Load): boolean => load.isInFullSwing(0.1);

/** SIGKILL; resolves when the supervisor's new one is ready. */
export async function killReplica(stage: FaultStage, name: string): Promise<void> {
  const pid = stage.pidOf(name);
  if (name.startsWith('relay')) stage.relayDeaths.push(performance.now());
  process.kill(pid, 'SIGKILL');
  await untilReplaced(stage.cluster, name, pid);
}

/** The text where it does not hold. */
export const unless = (holds: boolean, text: string): string[] => (holds ? [] : [text]);
