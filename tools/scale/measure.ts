/** `npm run bench:scale`: takes all measurements of docs/scale.md one after the other, and writes the page. */
import { parseArgs } from 'node:util';

const guide = `
  measures how long each service starts, then one, two and four relays; writes tools/scale/measured.json and docs/scale.md
`;

/**
 * Events that end the measurement: a termination signal, or `disconnect` when the parent process dies. Programs that
 * were started end with this process.
 */
const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const;

async function run(): Promise<void> {
  const leave = (): never => process.exit(130);
  for (const ending of ENDINGS) process.once(ending, leave);
  try {
    await import('./measure-start.js');
    await import('./measure-relays.js');
    await import('../docs.js');
  } finally {
    // A `disconnect` listener keeps the IPC channel referenced, and with it this process alive.
    for (const ending of ENDINGS) process.off(ending, leave);
  }
}

const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h', default: false } } });
if (values.help) process.stdout.write(guide);
else await run();
