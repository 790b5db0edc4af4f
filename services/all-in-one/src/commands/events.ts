import { resolve } from 'node:path';
import { kafkaEventLog, rewindKafka } from '@tollgate/adapters';
import { AppError } from '@tollgate/chassis';
import { appendToTable, consumptionTopic, rewindTable } from '@tollgate/operations';
import { allServices } from '../index.js';
import { writeArchive } from './archive.js';
import { readFlags, refuseRest, workOf } from './arguments.js';
import { besideInstallation, type Installation, say, withEventLog, withInstallation } from './installation.js';
import { recordsOf } from './records.js';

/**
 * The topic from which the books can be rebuilt. Other topics only announce changes; actions of people are in the
 * database and its backups.
 */
const TOPIC = consumptionTopic.name;

/** `archive` writes the consumption events into a file, `replay` delivers all of them to the services again. */
export async function events([name = '', ...args]: readonly string[]): Promise<void> {
  const work = workOf({ archive, replay }, name);
  if (!work)
    throw new AppError(
      'invalid',
      'arguments-invalid',
      'Say events archive <file> or events replay [--archive <file>].',
    );
  await work(args);
}

async function archive(args: readonly string[]): Promise<void> {
  const { rest } = readFlags(args, {});
  const [name, ...more] = rest;
  refuseRest(more);
  if (name === undefined)
    throw new AppError('invalid', 'file-missing', 'Name a file for the archive, like events.ndjson.gz.');
  await withEventLog(async (installation) => {
    const path = resolve(process.env['INIT_CWD'] ?? '.', name);
    const count = await writeArchive(path, TOPIC, recordsOf(installation, undefined));
    say(`${count} events are in ${name}.`);
  }, besideInstallation);
}

/**
 * Requires that the product is stopped: at its next start billing, logging and channel read every event from the
 * beginning.
 */
async function replay(args: readonly string[]): Promise<void> {
  const { flags, rest } = readFlags(args, { archive: { type: 'string' } });
  refuseRest(rest);
  await withEventLog(async (installation) => {
    if (flags['archive'] !== undefined) {
      let count = 0;
      await recordsOf(installation, flags['archive'])(TOPIC, async (records) => {
        await append(installation, records);
        count += records.length;
      });
      say(`${count} events of the archive are in the event log.`);
    }
    await rewind(installation);
    say(
      'Start the product: it books what is not booked yet, and nothing twice. `reconcile` then tells whether all of it is there.',
    );
  }, withInstallation);
}

async function append(
  { env, databaseUrl: url, log }: Installation,
  records: readonly { key: string; value: string }[],
): Promise<void> {
  const { KAFKA_BROKERS } = env;
  if (KAFKA_BROKERS === undefined) return appendToTable({ url, log, topic: TOPIC, records });
  const eventLog = kafkaEventLog({ ...env, KAFKA_BROKERS }, log);
  await eventLog.start([{ name: TOPIC, partitions: consumptionTopic.partitions }]);
  try {
    await eventLog.append(TOPIC, records);
  } finally {
    await eventLog.stop();
  }
}

async function rewind({ env, databaseUrl: url, log }: Installation): Promise<void> {
  const { KAFKA_BROKERS } = env;
  if (KAFKA_BROKERS === undefined) return rewindTable({ url, log, topic: TOPIC });
  await rewindKafka({ ...env, KAFKA_BROKERS }, { topic: TOPIC, groups: allServices.map(({ name }) => name), log });
}
