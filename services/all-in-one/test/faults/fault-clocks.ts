import { setTimeout as pause } from 'node:timers/promises';
import { renameSync, writeFileSync } from 'node:fs';
import { early, type FaultRow, unless } from './fault-row.js';
import type { FaultStage } from './fault-stage.js';

const OFF_MS = 5 * 60_000;
/** The offsets that are set one after the other for a service: ahead, behind, ahead, right. */
const JUMPS = [OFF_MS, -OFF_MS, OFF_MS, 0];
const JUMP_EVERY_MS = 2_000;
const SERVICES = ['relay', 'billing', 'logging', 'channel', 'identity', 'gateway'];

/** Sets the clocks of the named processes; all others are right. */
function setClocks(stage: FaultStage, offsets: Readonly<Record<string, number>>): void {
  const byPid = Object.fromEntries(Object.entries(offsets).map(([name, ms]) => [stage.pidOf(name), ms]));
  writeFileSync(`${stage.clocks}.new`, JSON.stringify(byPid));
  renameSync(`${stage.clocks}.new`, stage.clocks);
}

/** Sets the clocks of one service after the other five minutes ahead and behind, abruptly and in all its replicas. */
async function disagree(stage: FaultStage): Promise<string[]> {
  const refused: string[] = [];
  for (const service of SERVICES) {
    const replicas = stage.cluster.run().processes.filter((one) => one.service === service);
    for (const ms of JUMPS) {
      setClocks(stage, Object.fromEntries(replicas.map(({ name }) => [name, ms])));
      await pause(JUMP_EVERY_MS);
      if (!(await stage.isSignedIn())) refused.push(`${service} off by ${ms / 1_000} s`);
    }
  }
  return unless(refused.length === 0, `a person who was signed in was refused: ${refused.join(', ')}`);
}

export const clockRows: readonly FaultRow[] = [
  {
    name: 'clocks five minutes off, and jumping',
    seconds: 56,
    mayFail: false,
    when: early,
    inject: disagree,
  },
];
