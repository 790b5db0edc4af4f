import { untilReplaced } from '../cluster/cluster.js';
import type { Load } from './fault-load.js';
import type { FaultStage } from './fault-stage.js';

/** Run all rows instead of the short form. */
export const FULL = process.env.TOLLGATE_FAULTS === 'full';

export interface FaultRow {
  name: string;
  /** Part of the short form, which contains the faults that affect most at once. */
  isShort?: true;
  /** Duration of the load and number of requests, if the fault needs other values than the default. */
  seconds?: number;
  requests?: number;
  /** Declared: some clients get an error during the fault. In all other rows an error is a failure. */
  mayFail: boolean;
  /** Declared: users have to sign in again. */
  endsSessions?: true;
  /** When to inject the fault; by default under full load. */
  when?(load: Load): boolean;
  /**
   * Injects the fault while the load runs. Resolves when its cause is gone, with descriptions of anything else that
   * went wrong.
   */
  inject(stage: FaultStage, load: Load): Promise<string[] | void>;
}

export const early = (load: Load): boolean => load.isInFullSwing(0.1);

/** Kills by SIGKILL; resolves when the replacement is ready. */
export async function killReplica(stage: FaultStage, name: string): Promise<void> {
  const pid = stage.pidOf(name);
  if (name.startsWith('relay')) stage.relayDeaths.push(performance.now());
  process.kill(pid, 'SIGKILL');
  await untilReplaced(stage.cluster, name, pid);
}

/** The text if the condition does not hold. */
export const unless = (holds: boolean, text: string): string[] => (holds ? [] : [text]);
