import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { leastIdAt, timeOfId } from '@tollgate/chassis';
import { createDatabase, type TestDatabase } from '@tollgate/testing';
import { Client } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { sqlTimeOfId } from '../src/query/time-of-id.js';

describe('sqlTimeOfId', () => {
  let database: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    database = await createDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('reads the same time out of an id as the code does', async () => {
    const ids = [uuidv7(), leastIdAt(0), leastIdAt(1), leastIdAt(Date.parse('1969-01-01')), leastIdAt(2 ** 48 - 1)];
    const { rows } = await client.query<{ ms: string }>(
      `select ${sqlTimeOfId('"id"')} as "ms" from unnest($1::uuid[]) with ordinality as i("id", "n") order by "n"`,
      [ids],
    );
    expect(rows.map(({ ms }) => Number(ms))).toEqual(ids.map(timeOfId));
  });
});
