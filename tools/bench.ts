/**
 * `npm run bench`: compares the CPU cost of a request through the product with that of a bare pass-through in the same
 * run. All processes listen on the loopback address only; the one lasting result is the figures in
 * `docs/performance.md`.
 */
import { parseArgs } from 'node:util';
import { type Measured, measure, parts } from './bench/measure.js';
import { startLoad } from './bench/programs.js';
import { figures, writeFigures } from './bench/report.js';
import { openStage } from './bench/stage.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    repeats: { type: 'string', default: '5' },
    only: { type: 'string' },
    'log-rows': { type: 'string', default: '1000000' },
    profile: { type: 'string' },
    'no-write': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const guide = `
  --seconds 3      of each measurement, after a second to warm up
  --repeats 5      of each measurement, interleaved; medians are shown
  --only json      or other parts, with commas: ${parts.join(', ')} (burst is a stream with four chunks to a write)
  --log-rows 1000000   of the log that is compared with one of 10000 rows
  --profile DIR    CPU profiles of the relay and of the single process, written there when they end
  --no-write       leaves docs/performance.md as it is
`;

process.setMaxListeners(32);
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);

/**
 * Events that end the benchmark: a termination signal, or `disconnect` when the parent process dies and its IPC channel
 * closes.
 */
const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const;

async function run(): Promise<Measured> {
  // While the stage is being opened there is nothing to stop in order yet; programs that were already started end with
  // this process.
  const leave = (): never => process.exit(130);
  for (const ending of ENDINGS) process.once(ending, leave);
  const stage = await openStage({ say, ...(values.profile !== undefined && { profile: values.profile }) });
  const load = startLoad();
  let isOver = false;
  const stop = async (): Promise<void> => {
    if (isOver) return;
    isOver = true;
    await load.stop();
    await stage.stop();
  };
  const onEnding = (): void => void stop().then(() => process.exit(130));
  for (const ending of ENDINGS) process.off(ending, leave).once(ending, onEnding);
  try {
    return await measure(stage, load, {
      seconds: Number(values.seconds),
      repeats: Number(values.repeats),
      logRows: Number(values['log-rows']),
      parts: parts.filter((part) => values.only === undefined || values.only.split(',').includes(part)),
      say,
    });
  } finally {
    await stop();
    // A `disconnect` listener keeps the IPC channel referenced, and with it this process alive.
    for (const ending of ENDINGS) process.off(ending, onEnding);
  }
}

if (values.help) process.stdout.write(guide);
else if (process.platform !== 'linux') {
  process.stderr.write('bench: reads the CPU time of processes from /proc, so it needs Linux\n');
  process.exitCode = 1;
} else {
  try {
    const text = figures(await run());
    process.stdout.write(`\n${text}\n`);
    if (!values['no-write'] && values.only === undefined && values.profile === undefined) writeFigures(text);
  } catch (error) {
    say((error as Error).message);
    process.exitCode = 1;
  }
}
