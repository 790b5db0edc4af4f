import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Token } from '@tollgate/contracts/api/token';
import { eventually, isWaitedFor } from '@tollgate/testing';
import { Client } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { JournalReplay, type ReplayedRow } from '../src/replay/journal-replay.js';
import { type BillingTestBed, startBilling } from './test-bed.js';

const USER = 41;

describe('a replay of the journal into a running installation', () => {
  let billing: BillingTestBed;
  let product: Client;
  let replaying: Client;

  const connect = async (): Promise<Client> => {
    const client = new Client({ connectionString: billing.harness.host.env.DATABASE_URL });
    await client.connect();
    await client.query('set search_path = billing');
    return client;
  };
  const movement = (reference: string): ReplayedRow => ({
    ...{ chain: '2026-11', position: 1, id: uuidv7(), code: 'top-up', debit: 'payments', credit: `wallet:${USER}` },
    ...{ amount: 700, userId: USER, tokenId: 0, reference, priceVersion: null, replicaEpoch: null },
    ...{ actorId: null, reason: null, bookedAt: new Date().toISOString() },
  });
  const replay = async (...rows: ReplayedRow[]): Promise<number> => {
    const work = new JournalReplay(
      async <Row extends object>(text: string, values: unknown[] = []) =>
        (await replaying.query<Row>(text, values)).rows,
    );
    await work.addRows(rows);
    return work.report.posted;
  };
  const waits = () => eventually('the replay waits', () => isWaitedFor((sql) => product.query(sql)));
  const credits = async (reference: string): Promise<number[]> => {
    const { rows } = await product.query<{ amount: string }>('select amount from posting where reference = $1', [
      reference,
    ]);
    return rows.map(({ amount }) => Number(amount));
  };

  beforeAll(async () => {
    billing = await startBilling();
    [product, replaying] = [await connect(), await connect()];
    await product.query('insert into account (user_id) values ($1)', [USER]);
  });
  afterAll(async () => {
    await Promise.all([product?.end(), replaying?.end()]);
    await billing?.close();
  });

  it('credits an order once that the provider reports again meanwhile', async () => {
    await product.query('begin');
    await product.query('select from account where user_id = $1 for update', [USER]);
    const id = uuidv7();
    await product.query(`insert into posting_key (code, reference, posting_id) values ('top-up', 'told again', $1)`, [
      id,
    ]);
    await product.query(
      `insert into posting (id, code, debit, credit, amount, user_id, reference) values ($1, 'top-up', 'payments', $2, 700, $3, 'told again')`,
      [id, `wallet:${USER}`, USER],
    );
    const replayed = replay(movement('told again'));
    await waits();
    await product.query('commit');
    expect(await replayed).toBe(0);
    expect(await credits('told again')).toEqual([700]);
  });

  it('posts what is missing, and not a second time', async () => {
    const row = movement('lost');
    expect([await replay(row), await replay(row)]).toEqual([1, 0]);
    expect(await credits('lost')).toEqual([700]);
    const { rows } = await product.query('select credit::int from account where user_id = $1', [USER]);
    expect(rows).toEqual([{ credit: 700 }]);
  });

  it('counts as requests what the booking counted', async () => {
    const userId = USER + 1;
    const charge = (reason: string): ReplayedRow => {
      const row = movement('');
      const legs = { code: 'consumption', debit: `wallet:${userId}`, credit: 'revenue', amount: 0, userId, reason };
      return { ...row, ...legs, reference: row.id };
    };
    const reasons = ['completed', 'client_abort', 'completed unused', 'client_abort unused', 'failed'];
    expect(await replay(...reasons.map(charge))).toBe(5);
    const { rows } = await product.query('select request_count::int from account where user_id = $1', [userId]);
    expect(rows).toEqual([{ request_count: 2 }]);
  });

  it('tries again where a booking, which locks in another order, waits for it and it for the booking', async () => {
    const other = USER - 1;
    await product.query('insert into account (user_id) values ($1)', [other]);
    const { rows: before } = await product.query<{ credit: number }>(
      'select credit::int from account where user_id = $1',
      [USER],
    );
    const charge = { ...movement(''), code: 'consumption', debit: `wallet:${other}`, credit: 'revenue', userId: other };
    const lost = [movement('crossed'), { ...charge, reference: charge.id }];
    // The replay is the one that the database stops.
    await product.query(`set deadlock_timeout = '1min'`);
    await product.query('begin');
    await product.query('select from account where user_id = $1 for update', [other]);
    const replayed = replay(...lost);
    await waits();
    await product.query('update account set credit = credit + 1 where user_id = $1', [USER]);
    await product.query('commit');
    expect(await replayed).toBe(2);
    const { rows } = await product.query('select credit::int from account where user_id = $1', [USER]);
    expect(rows).toEqual([{ credit: Number(before[0]?.credit) + 701 }]);
  });

  it('leaves the budget of a key to its owner, who changed it as often before the loss', async () => {
    const { body } = await billing.harness.request<Token>('POST', '/api/token/', {
      ...{ as: { id: USER }, body: { name: 'kept', remain_quota: 100 } },
    });
    expect(body.success).toBe(true);
    const { rows } = await product.query<{ id: number; revision: string }>('select id, revision from token');
    const [{ id, revision } = { id: 0, revision: '' }] = rows;
    const lost = { ...movement(`${id}:${revision}`), code: 'token-budget', debit: 'budgets', credit: `token:${id}` };
    expect(await replay({ ...lost, tokenId: id })).toBe(1);
    const change = { as: { id: USER }, body: { id, remain_quota: 50 } };
    const changed = await billing.harness.request<Token>('PUT', '/api/token/', change);
    expect(changed.body.data).toMatchObject({ id, remain_quota: 50 });
  });
});
