import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Client } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { auditChains, type ChainAudit } from '../src/seal/chain-audit.js';
import type { Query } from '../src/seal/chain-rows.js';
import { Sealer } from '../src/seal/sealer.js';
import { type BillingStand, startBilling } from './stand.js';

const ROWS = 60;

describe('the sealed journal', () => {
  let billing: BillingStand;
  let client: Client;
  const query: Query = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await client.query<Row>(text, values)).rows;
  const connect = async (): Promise<Client> => {
    const other = new Client({ connectionString: billing.harness.host.env.DATABASE_URL });
    await other.connect();
    await other.query('set search_path = billing');
    return other;
  };
  const seal = (): Promise<number> => billing.inContext(() => billing.get(Sealer).seal());
  const chain = (): Promise<number> => billing.inContext(() => billing.get(Sealer).chainAll());
  const audit = (): Promise<ChainAudit> => auditChains(query);
  const post = (on: Client, amount: number, id = uuidv7()): Promise<unknown> =>
    on.query(
      `insert into posting (id, code, debit, credit, amount, user_id, reference, reason) values ($1, 'consumption', 'wallet:1', 'revenue', $2, 1, $3, 'completed')`,
      [id, amount, id],
    );
  const lastMonth = (): string => uuidv7({ msecs: Date.now() - 40 * 86_400_000 });

  beforeAll(async () => {
    billing = await startBilling();
    client = await connect();
  });
  afterAll(async () => {
    await client?.end();
    await billing?.close();
  });

  it('passes by no posting that commits late, whatever commits before it', async () => {
    const slow = await connect();
    await slow.query('begin');
    await post(slow, 1);
    await post(client, 2);
    await chain();
    await post(client, 3);
    await chain();
    // Nothing above the one that still runs counts as done.
    await slow.query('commit');
    await slow.end();
    await chain();
    expect(await seal()).toBe(1);
    expect(await audit()).toMatchObject({ rows: 3, seals: 1, unsealed: 0, faults: [] });
  });

  it('chains a late posting of an earlier month in that month, and two workers make one chain', async () => {
    await Promise.all(
      Array.from({ length: ROWS }, (_, index) => post(client, index, index % 5 === 0 ? lastMonth() : uuidv7())),
    );
    await Promise.all([chain(), chain(), chain()]);
    await Promise.all([seal(), seal()]);
    const { rows, faults, unsealed } = await audit();
    expect({ rows, faults, unsealed }).toEqual({ rows: ROWS + 3, faults: [], unsealed: 0 });
  });

  it('goes on after the database was moved to a server that counts transactions from the beginning', async () => {
    await client.query('update seal_progress set tx = 9000000000000000');
    await post(client, 5);
    await seal();
    expect(await audit()).toMatchObject({ rows: ROWS + 4, unsealed: 0, faults: [] });
  });

  it('keeps its private key sealed', async () => {
    const [row] = await query<{ private_sealed: string; public_key: string }>('select * from seal_key');
    expect(row?.public_key).toMatch(/^[0-9a-f]{64}$/);
    expect(row?.private_sealed).not.toContain('PRIVATE KEY');
    await expect(query('update seal_key set public_key = $1', ['00'])).rejects.toThrow(/append-only/);
  });

  /** Harm to one row, chosen by a number; answers the posting that has to be named, if one can be. */
  const harms: Record<string, (nth: number) => Promise<string | undefined>> = {
    async edit(nth) {
      const columns = ['code', 'debit', 'credit', 'reference', 'reason', 'price_version', 'replica_epoch'];
      const numbers = ['amount', 'user_id', 'token_id', 'actor_id'];
      const name = [...columns, ...numbers][nth % 11] ?? 'amount';
      const id = await idOf(nth);
      await query(
        `update posting set ${name} = ${columns.includes(name) ? `coalesce(${name}, '') || 'x'` : `coalesce(${name}, 0) + 1`} where id = $1`,
        [id],
      );
      return id;
    },
    async 'edit the time'(nth) {
      const id = await idOf(nth);
      await query(`update posting set booked_at = booked_at + interval '1 microsecond' where id = $1`, [id]);
      return id;
    },
    async removal(nth) {
      const id = await idOf(nth);
      await query('delete from posting where id = $1', [id]);
      return id;
    },
    async 'removal with its place'(nth) {
      const id = await idOf(nth);
      await query('delete from posting where id = $1', [id]);
      await query('delete from journal_link where posting_id = $1', [id]);
      return undefined;
    },
    async insertion(nth) {
      const id = uuidv7();
      await post(client, nth, id);
      await query('update posting set tx = 1 where id = $1', [id]);
      return id;
    },
    async 'insertion at a place'(nth) {
      const id = uuidv7();
      await post(client, nth, id);
      await query(`update journal_link set posting_id = $1 where posting_id = $2`, [id, await idOf(nth)]);
      return id;
    },
    async reordering(nth) {
      const [first = '', second = ''] = [await idOf(nth), await idOf(nth + 1)];
      const spare = uuidv7();
      for (const [to, from] of [
        [spare, first],
        [first, second],
        [second, spare],
      ])
        await query('update journal_link set posting_id = $1 where posting_id = $2', [to, from]);
      return first;
    },
    async 'a chain made anew without the key'(nth) {
      await query(`update journal_link set hash = sha256(hash) where posting_id = $1`, [await idOf(nth)]);
      return undefined;
    },
    async 'a seal removed'() {
      await query('delete from journal_seal where number = 1');
      return undefined;
    },
    async 'a seal of another signature'(nth) {
      await query(`update journal_seal set signature = overlay(signature placing $1 from 5) where number = 1`, [
        (nth % 2 === 0 ? 'ff' : '00') + 'a1b2',
      ]);
      return undefined;
    },
  };
  async function idOf(nth: number): Promise<string> {
    const rows = await query<{ id: string }>('select posting_id as id from journal_link order by chain, position');
    return rows[nth % rows.length]?.id ?? '';
  }

  it('names whatever was edited, removed, inserted or reordered', async () => {
    // A second seal, so that the first has one after it.
    await post(client, 9);
    await seal();
    await client.query('reset role; set session_replication_role = replica');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(harms)), fc.nat(1000), async (harm, nth) => {
        await client.query('begin');
        try {
          const named = await harms[harm]?.(nth);
          const { faults } = await audit();
          expect([harm, faults.length > 0]).toEqual([harm, true]);
          if (named !== undefined) expect(faults.map(({ postingId }) => postingId)).toContain(named);
        } finally {
          await client.query('rollback');
        }
      }),
      { numRuns: 80, examples: Object.keys(harms).map((harm) => [harm, 7] as [string, number]) },
    );
    expect((await audit()).faults).toEqual([]);
  });
});
