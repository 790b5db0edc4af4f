import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { contractTopics, createDatabase, type TestDatabase } from '@tollgate/testing';
import { Logger } from '@tollgate/chassis';
import { TableEventLog } from '@tollgate/database';
import { rewindTable } from '../src/reconcile/table-log.js';

const log = Logger.root('silent');
const TOPIC = 'contract-single';

let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase();
});
afterEach(() => database.drop());

/** Starts the log and reads until so many records have come; stops it unless `stays`. */
async function read(count: number, stays = false): Promise<TableEventLog> {
  const table = new TableEventLog({ url: database.url, log });
  await table.start(contractTopics);
  await new Promise<void>((resolve, reject) => {
    let seen = 0;
    const handle = (batch: readonly unknown[]): Promise<void> => {
      seen += batch.length;
      if (seen >= count) resolve();
      return Promise.resolve();
    };
    table.subscribe({ group: 'billing', topics: [TOPIC], handle }).catch(reject);
    if (stays)
      table
        .append(
          TOPIC,
          Array.from({ length: count }, (_, at) => ({ key: 'k', value: String(at) })),
        )
        .catch(reject);
  });
  if (!stays) await table.stop();
  return table;
}

it('delivers every event again after the next start, and refuses while a process would read on from its own place', async () => {
  const table = await read(3, true);
  await expect(rewindTable({ url: database.url, log, topic: TOPIC })).rejects.toMatchObject({
    code: 'event-log-in-use',
  });
  await table.stop();
  await rewindTable({ url: database.url, log, topic: TOPIC });
  await read(3);
});
