import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { readKafkaTopic } from '@tollgate/adapters';
import { AppError } from '@tollgate/chassis';
import { connectPatiently } from '@tollgate/database';
import { tableReader, type TopicReader } from '@tollgate/operations';
import { type Installation, requireEventsFound } from './installation.js';
import { linesOf } from './lines.js';

const BATCH = 1_000;

/** Reads the records of a topic from Kafka, from the database, or from a file written by `events archive`. */
export function recordsOf(installation: Installation, archive: unknown): TopicReader {
  if (typeof archive === 'string') return archiveReader(resolve(process.env['INIT_CWD'] ?? '.', archive));
  const { env, databaseUrl, log } = installation;
  const { KAFKA_BROKERS } = env;
  if (KAFKA_BROKERS !== undefined)
    return (topic, handle) => readKafkaTopic({ ...env, KAFKA_BROKERS }, topic, log, handle);
  return async (topic, handle) => {
    await requireEventsFound(installation);
    const client = await connectPatiently(databaseUrl, log);
    try {
      await tableReader(client)(topic, handle);
    } finally {
      await client.end();
    }
  };
}

/** A record with its place and its bytes; a line of an archive. */
interface ArchivedRecord {
  topic: string;
  partition: number;
  offset: string;
  appendedAt: number;
  key: string;
  value: string;
}

const archiveReader =
  (path: string): TopicReader =>
  async (topic, handle) => {
    let batch: ArchivedRecord[] = [];
    const flush = async (): Promise<void> => {
      await handle(batch.map(({ offset, ...record }) => ({ ...record, offset: BigInt(offset) })));
      batch = [];
    };
    let number = 0;
    // A file that cannot be read ends the unpacking with its error, which the loop throws.
    const unpacked = pipeline(createReadStream(path), createGunzip(), () => undefined).setEncoding('utf8');
    for await (const line of linesOf(unpacked)) {
      number += 1;
      const record = recordIn(line, `${path}, line ${number}`);
      if (record.topic === topic) batch.push(record);
      if (batch.length === BATCH) await flush();
    }
    await flush();
  };

function recordIn(line: string, place: string): ArchivedRecord {
  const unreadable = (cause?: unknown): AppError =>
    new AppError('invalid', 'archive-unreadable', `${place}: this is no archive of events.`, { cause });
  let record: Partial<ArchivedRecord> | null;
  try {
    record = JSON.parse(line) as Partial<ArchivedRecord> | null;
  } catch (cause) {
    throw unreadable(cause);
  }
  if (typeof record?.value !== 'string' || typeof record.topic !== 'string') throw unreadable();
  return record as ArchivedRecord;
}
