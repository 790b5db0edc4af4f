/**
 * `node dist/tools/scale/measure-start.js` after a build: measures how long each service takes from its start until it
 * is ready, in an installation that is otherwise idle: median and maximum of five starts, and the CPU time. Writes
 * measured.json, from which `npm run docs` makes docs/scale.md; `npm run bench:scale` does both.
 */
import { cpuSeconds } from '../bench/cpu.js';
import { openStage, type Stage } from '../bench/stage.js';
import { loadNow, note, type StartRow } from './figures.js';

const SERVICES = ['gateway', 'identity', 'billing', 'channel', 'relay', 'logging'];
const STARTS = 5;

const say = (line: string): void => void process.stderr.write(`start: ${line}\n`);

interface Start {
  took: number;
  cpu: number;
}

async function start(stage: Stage, service: string): Promise<Start> {
  const began = performance.now();
  const program = await stage.replica(service);
  try {
    await program.ready();
    return { took: (performance.now() - began) / 1000, cpu: cpuSeconds(program.pid) };
  } finally {
    await program.stop();
  }
}

const loadBefore = loadNow();
const stage = await openStage({ say });
try {
  const rows: StartRow[] = [];
  for (const service of SERVICES) {
    const starts: Start[] = [];
    for (let count = 0; count < STARTS; count += 1) starts.push(await start(stage, service));
    starts.sort((one, other) => one.took - other.took);
    const middle = starts[Math.floor(STARTS / 2)] as Start;
    rows.push({ service, median: middle.took, longest: (starts.at(-1) as Start).took, cpu: middle.cpu });
    say(`${service} is ready after ${middle.took.toFixed(1)} s`);
  }
  note('start', rows, loadBefore);
} finally {
  await stage.stop();
}
