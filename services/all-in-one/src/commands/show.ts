import { readKafkaSpan } from '@tollgate/adapters';
import { AppError } from '@tollgate/chassis';
import { everythingAbout, type SpanReader } from '@tollgate/operations';
import { readFlags } from './arguments.js';
import { besideInstallation, type Installation, say } from './installation.js';
import { withLog } from './outside-log.js';

/** Prints every row that refers to the subject as JSON, table by table. Exit code 1 where there is none. */
export async function show(args: readonly string[]): Promise<void> {
  const subject = readFlags(args, {}).rest.join(' ');
  if (subject === '')
    throw new AppError('invalid', 'arguments-invalid', 'Name a request id, or wallet:5, token:7, order:…, code:3');
  await besideInstallation(async (installation) => {
    const { databaseUrl: url, log } = installation;
    const found = await withLog(installation, (where) =>
      everythingAbout(subject, { url, log, ...spansOf(installation), ...where }),
    );
    say(JSON.stringify(found, undefined, 2));
    if (Object.keys(found).length > 0) return;
    process.stderr.write(`There is nothing about "${subject}".\n`);
    process.exitCode = 1;
  });
}

/** How to read events in Kafka; empty if they are in the database. */
function spansOf({ env, log }: Installation): { read?: SpanReader } {
  const { KAFKA_BROKERS } = env;
  if (KAFKA_BROKERS === undefined) return {};
  return { read: (span, handle) => readKafkaSpan({ ...env, KAFKA_BROKERS }, { ...span, log }, handle) };
}
