import { resolve } from 'node:path';
import { kafkaEventLog, requireNoReaders, rewindKafka } from '@tollgate/adapters';
import { AppError } from '@tollgate/chassis';
import { unmarkKafka } from '@tollgate/database';
import { appendToTable, consumptionTopic, rewindTable } from '@tollgate/operations';
import { allServices } from '../index.js';
import { writeArchive } from './archive.js';
import { readFlags, refuseRest, workOf } from './arguments.js';
import {
  besideInstallation,
  type Installation,
  requireEventsFound,
  say,
  withEventLog,
  withInstallation,
} from './installation.js';
import { requireAllApplied } from './move.js';
import { recordsOf } from './records.js';

/**
 * The topic from which the books can be rebuilt. Other topics only announce changes; actions of people are in the
 * database and its backups.
 */
const TOPIC = consumptionTopic.name;
const GROUPS = allServices.map(({ name }) => name);

/**
 * `archive` writes the consumption events into a file, `replay` delivers all of them to the services again,
 * `leave-kafka` lets an installation keep its events in the database again.
 */
export async function events([name = '', ...args]: readonly string[]): Promise<void> {
  const work = workOf({ archive, replay, 'leave-kafka': leaveKafka }, name);
  if (!work)
    throw new AppError(
      'invalid',
      'arguments-invalid',
      'Say events archive <file>, events replay [--archive <file>] or events leave-kafka.',
    );
  await work(args);
}

async function archive(args: readonly string[]): Promise<void> {
  const { rest } = readFlags(args, {});
  const [name, ...more] = rest;
  refuseRest(more);
  if (name === undefined)
    throw new AppError('invalid', 'arguments-invalid', 'Name a file for the archive, like events.ndjson.gz.');
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
    await requireEventsFound(installation);
    // Refuses beside a running product, so before anything is appended. A topic of Kafka may have to be made before its
    // groups can be rewound.
    const { env, log } = installation;
    const { KAFKA_BROKERS } = env;
    if (KAFKA_BROKERS === undefined) await rewind(installation);
    else await requireNoReaders({ ...env, KAFKA_BROKERS }, { groups: GROUPS, log });
    if (flags['archive'] !== undefined) {
      let count = 0;
      await recordsOf(installation, flags['archive'])(TOPIC, async (records) => {
        await append(installation, records);
        count += records.length;
      });
      say(`${count} events of the archive are in the event log.`);
    }
    if (KAFKA_BROKERS !== undefined) await rewind(installation);
    say(
      'Start the product: it books what is not booked yet, and nothing twice. `reconcile` then tells whether all of it is there.',
    );
  }, withInstallation);
}

/** Requires that every event in Kafka has been read: the others would never be applied. */
async function leaveKafka(args: readonly string[]): Promise<void> {
  refuseRest(readFlags(args, {}).rest);
  await besideInstallation(async (installation) => {
    if (installation.env.KAFKA_BROKERS === undefined)
      throw new AppError(
        'invalid',
        'brokers-missing',
        'This needs KAFKA_BROKERS, as for the processes, to look whether everything in Kafka has been read.',
      );
    await requireAllApplied(installation);
    const { databaseUrl: url, log } = installation;
    await unmarkKafka({ url, log, migrate: 'never' });
    say('Everything in Kafka has been read. Stop the product if it runs, and start it without KAFKA_BROKERS.');
  });
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
  await rewindKafka({ ...env, KAFKA_BROKERS }, { topic: TOPIC, groups: GROUPS, log });
}
