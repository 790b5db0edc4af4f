import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { INVOICE_LINES_DIGEST } from '@tollgate/database';
import { createDatabase, hasPostgres, type TestDatabase } from '@tollgate/testing';
import { Client } from 'pg';
import { auditLogChecks } from '../src/reconcile/audit-log-checks.js';

/** The columns of the two services' tables that the checks read. */
const TABLES = `create schema "billing"; create schema "logging";
  create table "billing"."channel_cost" ("id" serial, "channel_id" int, "model" text, "terms" jsonb null, "actor_id" int, "created_at" timestamptz);
  create table "billing"."redemption" ("id" serial, "user_id" int);
  create table "billing"."invoice" ("id" int, "name" text, "format" text, "channel_ids" int[], "first_day" date, "last_day" date, "rows" int, "digest" text, "imported_by" int);
  create table "billing"."invoice_line" ("invoice_id" int, "day" date, "model" text, "requests" bigint, "input" bigint, "cached" bigint, "output" bigint, "amount" numeric);
  create table "billing"."price_version" ("id" text, "created_at" timestamptz);
  create table "billing"."price_publication" ("revision" bigint, "price_version" text, "published_at" timestamptz);
  create table "billing"."top_up_order" ("id" int, "trade_no" text, "money" text, "currency" text);
  create table "billing"."posting_key" ("code" text, "reference" text, "posting_id" uuid);
  create table "logging"."log" ("event_id" uuid, "type" int, "content" text);
  create table "logging"."audit_entry" ("actor_id" int null, "action" text, "subject" text, "after" jsonb null, "happened_at" timestamptz)`;

const ROWS = `insert into "billing"."channel_cost" ("channel_id", "model", "terms", "actor_id", "created_at") values
    (1, '', '{"share": 0.5}', 3, '2026-11-20T10:00:00Z'), (1, 'gpt-4o', '{"share": 0.25}', 3, '2026-11-20T10:00:00Z'), (1, 'gpt-4o', null, 4, '2026-11-21T10:00:00Z');
  insert into "billing"."redemption" ("user_id") values (3), (3), (4);
  insert into "billing"."invoice" values (1, 'old', 'openai', '{1}', '2026-11-01', '2026-11-02', 2, 'd1', 3), (2, 'new', 'openai', '{1,2}', '2026-11-01', '2026-11-02', 2, 'd2', 3);
  insert into "billing"."invoice_line" values (1, '2026-11-01', 'm', 1, 2, 0, 3, null), (2, '2026-11-01', 'm', 1, 2, 0, 3, null), (2, '2026-11-02', 'm', 1, 2, 0, 3, 5);
  insert into "billing"."price_version" values ('before', '2026-11-01T00:00:00Z'), ('a', '2026-11-02T00:00:00.123456Z'), ('b', '2026-11-03T00:00:00Z');
  insert into "billing"."price_publication" values (1, 'before', '2026-11-01T00:00:00Z'), (2, 'a', '2026-11-02T00:00:00.123456Z'), (5, 'b', '2026-11-03T00:00:00Z'),
    (6, 'a', '2026-11-04T00:00:00Z');
  insert into "billing"."top_up_order" values (1, 'T1', '7.30', 'CNY'), (2, 'T2', '7.30', 'CNY');
  insert into "billing"."posting_key" values ('top-up', 'T1', '01900000-0000-7000-8000-000000000001'), ('top-up', 'T2', '01900000-0000-7000-8000-000000000002');
  insert into "logging"."log" values ('01900000-0000-7000-8000-000000000001', 1, '使用在线充值成功，充值金额: ＄1.000000 额度，支付金额：7.300000'),
    ('01900000-0000-7000-8000-000000000002', 1, '');
  insert into "logging"."audit_entry" select 3, 'invoice-import', 'invoice:' || "id", jsonb_build_object('name', "name", 'format', "format", 'channel_ids', "channel_ids",
    'digest', "digest", 'first_day', "first_day", 'last_day', "last_day", 'rows', "rows")
    || case "id" when 2 then jsonb_build_object('lines_digest', (select ${INVOICE_LINES_DIGEST} from "billing"."invoice_line" where "invoice_id" = 2)) else '{}' end, now()
    from "billing"."invoice";
  insert into "logging"."audit_entry" values
    (null, 'price-publish', 'price:1', '{"priceVersion": "before"}', now()),
    (null, 'price-publish', 'price:2', '{"priceVersion": "a", "publishedAt": "2026-11-02T00:00:00.123456Z", "mintedAt": "2026-11-02T00:00:00.123456Z"}', now()),
    (null, 'price-publish', 'price:5', '{"priceVersion": "b", "publishedAt": "2026-11-03T00:00:00.000000Z", "mintedAt": "2026-11-03T00:00:00.000000Z"}', now()),
    (null, 'price-publish', 'price:6', '{"priceVersion": "a", "publishedAt": "2026-11-04T00:00:00.000000Z", "mintedAt": "2026-11-02T00:00:00.123456Z"}', now());
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
    for (const { query } of auditLogChecks) {
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
    [
      'a changed line of an invoice',
      `update "billing"."invoice_line" set "input" = 3 where "invoice_id" = 2 and "day" = '2026-11-02'`,
      ['invoice:2'],
    ],
    ['a line of an invoice that is gone', `delete from "billing"."invoice_line" where "amount" = 5`, ['invoice:2']],
    [
      'a line of an invoice that was not in the file',
      `insert into "billing"."invoice_line" values (2, '2026-11-02', 'other', 1, 2, 0, 3, null)`,
      ['invoice:2'],
    ],
    [
      'lines without an invoice',
      `insert into "billing"."invoice_line" values (9, '2026-11-02', 'm', 1, 2, 0, 3, null)`,
      ['invoice:9'],
    ],
    ['an invoice that is gone', `delete from "billing"."invoice" where "id" = 1`, ['invoice:1', 'invoice:1']],
    ['an invoice of another name', `update "billing"."invoice" set "name" = 'x' where "id" = 1`, ['invoice:1']],
    ['an invoice of somebody else', `update "billing"."invoice" set "imported_by" = 9 where "id" = 2`, ['invoice:2']],
    [
      'since when prices are in force',
      `update "billing"."price_publication" set "published_at" = "published_at" - interval '1 microsecond' where "revision" = 2`,
      ['price version a'],
    ],
    [
      'a publication of other prices',
      `update "billing"."price_publication" set "price_version" = 'b' where "revision" = 6`,
      ['price version a'],
    ],
    [
      'a publication of a release before, of other prices',
      `update "billing"."price_publication" set "price_version" = 'b' where "revision" = 1`,
      ['price version before'],
    ],
    [
      'a publication that is gone',
      `delete from "billing"."price_publication" where "revision" = 5`,
      ['price version b'],
    ],
    [
      'a publication that nobody made',
      `insert into "billing"."price_publication" values (4, 'a', '2026-11-02T12:00:00Z')`,
      ['price version a'],
    ],
    [
      'since when prices are known',
      `update "billing"."price_version" set "created_at" = now() where "id" = 'a'`,
      ['price version a'],
    ],
    ['prices that are gone', `delete from "billing"."price_version" where "id" = 'b'`, ['price version b']],
    ['what somebody paid', `update "billing"."top_up_order" set "money" = '7.31'`, ['order:T1']],
    ['who made a code', `update "billing"."redemption" set "user_id" = 4 where "id" = 2`, ['code:2']],
  ])('names %s', async (_, harm, named) => {
    await client.query('begin');
    await client.query(harm);
    expect(await faults()).toEqual(named);
    await client.query('rollback');
  });
});
