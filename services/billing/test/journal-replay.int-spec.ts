import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
  const replay = async (row: ReplayedRow): Promise<number> => {
    const work = new JournalReplay(
      async <Row extends object>(text: string, values: unknown[] = []) =>
        (await replaying.query<Row>(text, values)).rows,
    );
    await work.addRows([row]);
    return work.report.posted;
  };
  const waits = async (): Promise<void> => {
    for (let look = 0; look < 300; look += 1) {
      const { rows } = await product.query(`select from pg_locks where not granted`);
      if (rows.length > 0) return;
      await new Promise((done) => setTimeout(done, 20));
    }
    throw new Error('nobody waits');
  };
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
});
