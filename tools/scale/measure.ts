/** `npm run bench:scale`: everything in docs/scale.md that is measured, one after the other, and the page with the figures. */
import { parseArgs } from 'node:util';

const guide = `
  measures how long each service starts, then one, two and four relays; writes tools/scale/measured.json and docs/scale.md
`;

/** Whoever ends us with a signal, and the death of who started us, which closes the channel. What was started ends with us. */
const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const;

async function run(): Promise<void> {
  const leave = (): never => process.exit(130);
  for (const ending of ENDINGS) process.once(ending, leave);
  try {
    await import('./measure-start.js');
    await import('./measure-relays.js');
    await import('../docs.js');
  } finally {
    // Who listens for the end of a channel keeps it, and so the process.
    for (const ending of ENDINGS) process.off(ending, leave);
  }
}

const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h', default: false } } });
if (values.help) process.stdout.write(guide);
else await run();
