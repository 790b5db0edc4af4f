/**
 * `node dist/tools/scale/measure-start.js` after a build: how long each service takes from its start until it is ready, beside an
 * installation that runs and does nothing. Prints rows for docs/scale.md: the median of five starts, the longest, and the CPU it took.
 */
import { cpuSeconds } from '../bench/cpu.js';
import { openStage, type Stage } from '../bench/stage.js';

const SERVICES = ['gateway', 'identity', 'billing', 'channel', 'relay', 'logging'];
const STARTS = 5;

const say = (line: string): void => void process.stderr.write(`start: ${line}\n`);
const seconds = (value: number): string => value.toFixed(1);

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

const stage = await openStage({ say });
try {
  process.stdout.write('| service | until ready, s | the longest | CPU, s |\n');
  for (const service of SERVICES) {
    const starts: Start[] = [];
    for (let count = 0; count < STARTS; count += 1) starts.push(await start(stage, service));
    starts.sort((one, other) => one.took - other.took);
    const middle = starts[Math.floor(STARTS / 2)] as Start;
    const cells = [service, seconds(middle.took), seconds((starts.at(-1) as Start).took), seconds(middle.cpu)];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
} finally {
  await stage.stop();
}
