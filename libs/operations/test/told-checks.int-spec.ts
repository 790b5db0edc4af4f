import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, hasPostgres, type TestDatabase } from '@tollgate/testing';
import { Client } from 'pg';
import { toldChecks } from '../src/reconcile/told-checks.js';

/** As much of the tables of two services as the checks read. */
const TABLES = `create schema "billing"; create schema "logging";
  create table "billing"."channel_cost" ("id" serial, "channel_id" int, "model" text, "terms" jsonb null, "actor_id" int, "created_at" timestamptz);
  create table "billing"."redemption" ("id" serial, "user_id" int);
  create table "logging"."audit_entry" ("actor_id" int null, "action" text, "subject" text, "after" jsonb null, "happened_at" timestamptz)`;

const ROWS = `insert into "billing"."channel_cost" ("channel_id", "model", "terms", "actor_id", "created_at") values
    (1, '', '{"share": 0.5}', 3, '2026-11-20T10:00:00Z'), (1, 'gpt-4o', '{"share": 0.25}', 3, '2026-11-20T10:00:00Z'), (1, 'gpt-4o', null, 4, '2026-11-21T10:00:00Z');
  insert into "billing"."redemption" ("user_id") values (3), (3), (4);
  insert into "logging"."audit_entry" values
    (3, 'channel-cost', 'channel:1', '{"*": {"share": 0.5}, "gpt-4o": {"share": 0.25}}', '2026-11-20T10:00:01Z'),
    (4, 'channel-cost', 'channel:1', '{"gpt-4o": null}', '2026-11-21T10:00:00Z'),
    (3, 'redemption-create', 'redemption:1', '{"name": "x", "count": 2, "ids": [1, 2]}', now()),
    (4, 'redemption-create', 'redemption:3', '{"count": 1, "ids": [3]}', now()), (null, 'redemption-create', 'redemption:0', null, now()),
    (5, 'redemption-update', 'redemption:1', '{"ids": [1]}', now())`;

(hasPostgres() ? describe : describe.skip)('what the audit log was told', () => {
  let database: TestDatabase;
  let client: Client;
  beforeAll(async () => {
    database = await createDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query(TABLES);
    await client.query(ROWS);
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const faults = async (): Promise<string[]> => {
    const found: string[] = [];
    for (const { query } of toldChecks) {
      const { rows } = await client.query<{ subject: string; expected: string; found: string }>(query);
      for (const row of rows) expect(row).toMatchObject({ expected: expect.any(String), found: expect.any(String) });
      found.push(...rows.map(({ subject }) => subject));
    }
    return found.sort();
  };

  it('is what the tables have', async () => {
    expect(await faults()).toEqual([]);
  });

  const cost = 'channel:1 costs of gpt-4o';
  it.each([
    [
      'the terms of a cost',
      `update "billing"."channel_cost" set "terms" = '{"share": 0.2}' where "id" = 2`,
      [cost, cost],
    ],
    ['who saved a cost', `update "billing"."channel_cost" set "actor_id" = 9 where "id" = 3`, [cost, cost]],
    [
      'since when a cost holds',
      `update "billing"."channel_cost" set "created_at" = '2026-11-19' where "id" = 3`,
      [cost, cost],
    ],
    ['a cost that is gone', `delete from "billing"."channel_cost" where "id" = 1`, ['channel:1 costs of *']],
    [
      'a cost that nobody saved',
      `insert into "billing"."channel_cost" ("channel_id", "model", "actor_id", "created_at") values (2, 'm', 3, now())`,
      ['channel:2 costs of m'],
    ],
    ['who made a code', `update "billing"."redemption" set "user_id" = 4 where "id" = 2`, ['code:2']],
  ])('names %s', async (_, harm, named) => {
    await client.query('begin');
    await client.query(harm);
    expect(await faults()).toEqual(named);
    await client.query('rollback');
  });
});
