import { setTimeout as pause } from 'node:timers/promises';
import { renameSync, writeFileSync } from 'node:fs';
import { early, type FaultRow, unless } from './fault-row.js';
import type { FaultStage } from './fault-stage.js';

const OFF_MS = 5 * 60_000;
/** How often the clock of a service is set before it is the next one's turn: ahead, behind, and right again. */
const JUMPS = [OFF_MS, -OFF_MS, OFF_MS, 0];
const JUMP_EVERY_MS = 2_000;
const SERVICES = ['relay', 'billing', 'logging', 'channel', 'identity', 'gateway'];

/** Sets the wall clocks of processes by their names; the others run right. */
function setClocks(stage: FaultStage, offsets: Readonly<Record<string, number>>): void {
  const byPid = Object.fromEntries(Object.entries(offsets).map(([name, ms]) => [stage.pidOf(name), ms]));
  writeFileSync(`${stage.clocks}.new`, JSON.stringify(byPid));
  renameSync(`${stage.clocks}.new`, stage.clocks);
}

/** One service after the other is five minutes ahead, then behind, by jumps and in all its replicas. */
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
