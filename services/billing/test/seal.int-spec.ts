import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Clock } from '@tollgate/chassis';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { ROW_COLUMNS, type StoredRow, toChainedRow } from '../src/seal/chain-rows.js';
import { chainOf, FIRST, linkHash, rowText } from '../src/seal/chain-text.js';
import { Sealer } from '../src/seal/sealer.js';
import { describeExport } from './seal-export.js';
import { harms } from './seal-harms.js';
import { SealWorld } from './seal-world.js';

const ROWS = 60;
const lastMonth = (): string => uuidv7({ msecs: Date.now() - 40 * 86_400_000 });

describe('the sealed journal', () => {
  const world = new SealWorld();
  beforeAll(() => world.open());
  afterAll(() => world.close());

  it('skips no posting that commits late, whatever commits before it', async () => {
    const slow = await world.connect();
    await slow.query('begin');
    await world.post(slow, 1);
    await world.post(world.client, 2);
    await world.chain();
    await world.post(world.client, 3);
    await world.chain();
    // Nothing after the running transaction counts as sealed.
    await slow.query('commit');
    await slow.end();
    await world.chain();
    await world.sealAll();
    expect(await world.audit()).toMatchObject({ rows: 3, unsealed: 0, faults: [] });
  });

  it('moves its mark over time without a posting, and looks closer only when there is one', async () => {
    const mark = async (): Promise<number> =>
      Number((await world.query<{ tx: string }>('select tx from seal_progress'))[0]?.tx);
    const chained = async (): Promise<unknown[]> =>
      world.query(`select posting_id from journal_link where posting_id = $1`, [id]);
    const id = uuidv7();
    await world.sealAll();
    const before = await mark();
    // Every transaction has a number, whether it books or not.
    await world.client.query('select pg_current_xact_id()');
    const closer = jest.spyOn(Sealer.prototype as unknown as { chainSome(): Promise<boolean> }, 'chainSome');
    await world.chain();
    expect([closer.mock.calls.length, (await mark()) > before]).toEqual([0, true]);
    const slow = await world.connect();
    await slow.query('begin');
    await slow.query('select pg_current_xact_id()');
    const held = await mark();
    await world.post(world.client, 7, id);
    await world.chain();
    // Whoever is behind the oldest transaction that still runs has its turn after it.
    expect([closer.mock.calls.length, await chained()]).toEqual([0, []]);
    await slow.query('commit');
    await slow.end();
    await world.chain();
    expect([closer.mock.calls.length > 0, await chained()]).toEqual([true, [{ posting_id: id }]]);
    expect(await mark()).toBeGreaterThan(held);
    closer.mockRestore();
    await world.sealAll();
    expect(await world.audit()).toMatchObject({ unsealed: 0, faults: [] });
  });

  it('chains a late posting of an earlier month in that month, and two workers make one chain', async () => {
    await Promise.all(
      Array.from({ length: ROWS }, (_, index) =>
        world.post(world.client, index + 1, index % 5 === 0 ? lastMonth() : uuidv7()),
      ),
    );
    await Promise.all([world.chain(), world.chain(), world.chain()]);
    await Promise.all([world.seal(), world.seal()]);
    await world.sealAll();
    const { rows, faults, unsealed } = await world.audit();
    expect({ rows, faults, unsealed }).toEqual({ rows: ROWS + 4, faults: [], unsealed: 0 });
  });

  it('continues after the database was moved to a server whose transaction ids start anew', async () => {
    await world.client.query('update seal_progress set tx = 9000000000000000');
    await world.post(world.client, 5);
    await world.sealAll();
    expect(await world.audit()).toMatchObject({ rows: ROWS + 5, unsealed: 0, faults: [] });
  });

  it('reports only what is sealed: a long transaction delays the mark', async () => {
    const clock = world.billing.get(Clock);
    const told = async (): Promise<number> => {
      const page = (await world.billing.harness.host.metrics.get('billing')?.registry.metrics()) ?? '';
      return Number(/^tollgate_billing_journal_sealed_timestamp_seconds\S* (\S+)$/m.exec(page)?.[1]) * 1000;
    };
    await world.sealAll();
    const slow = await world.connect();
    await slow.query('begin');
    await world.post(slow, 1);
    const begun = clock.now();
    for (let round = 0; round < 3; round += 1) {
      await world.post(world.client, 2);
      await world.seal();
      expect(await told()).toBeLessThanOrEqual(begun);
    }
    await slow.query('commit');
    await slow.end();
    await world.sealAll();
    expect(await told()).toBeGreaterThan(begun);
  });

  it('still proves what was hashed before model, group and channel were part of the text', async () => {
    const id = uuidv7();
    const before = await world.connect();
    await before.query('begin; select from seal_progress for update');
    await world.post(before, 4, id);
    const { rows } = await before.query<StoredRow>(`select ${ROW_COLUMNS} from posting p where id = $1`, [id]);
    const { rows: heads } = await before.query<{ position: string; hash: string }>(
      `select position, encode(hash, 'hex') as hash from journal_link where chain = $1 order by position desc limit 1`,
      [chainOf(id)],
    );
    const place = { chain: chainOf(id), position: Number(heads[0]?.position ?? 0) + 1, version: 1 };
    const text = rowText(toChainedRow(rows[0] as StoredRow, place));
    expect(Object.keys(JSON.parse(text) as object)).not.toContain('channelId');
    await before.query(
      `insert into journal_link (chain, position, posting_id, hash) values ($1, $2, $3, decode($4, 'hex'))`,
      [place.chain, place.position, id, linkHash(heads[0]?.hash ?? FIRST, text)],
    );
    await before.query('commit');
    await before.end();
    await world.sealAll();
    expect((await world.audit()).faults).toEqual([]);
  });

  it('keeps its private key sealed', async () => {
    const [row] = await world.query<{ private_sealed: string; public_key: string }>('select * from seal_key');
    expect(row?.public_key).toMatch(/^[0-9a-f]{64}$/);
    expect(row?.private_sealed).not.toContain('PRIVATE KEY');
    await expect(world.query('update seal_key set public_key = $1', ['00'])).rejects.toThrow(/append-only/);
  });
  it('reports whatever was edited, removed, inserted or reordered', async () => {
    // A second seal, so that the first one has a successor.
    await world.post(world.client, 9);
    await world.sealAll();
    await world.client.query('reset role; set session_replication_role = replica');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(harms)), fc.nat(1000), async (harm, nth) => {
        await world.client.query('begin');
        try {
          const named = await harms[harm]?.(world, nth);
          const { faults } = await world.audit();
          expect([harm, faults.length > 0]).toEqual([harm, true]);
          if (named !== undefined) expect(faults.map(({ postingId }) => postingId)).toContain(named);
        } finally {
          await world.client.query('rollback');
        }
      }),
      { numRuns: 80, examples: [...Object.keys(harms).map((harm) => [harm, 7] as [string, number]), ['edit', 637]] },
    );
    expect((await world.audit()).faults).toEqual([]);
  });

  it('lists a thousand faults of a completely damaged chain, and counts the others', async () => {
    await world.client.query('begin');
    try {
      await world.query(
        `insert into journal_link (chain, position, posting_id, hash) select '2020-01', n, gen_random_uuid(), '' from generate_series(1, 1100) n`,
      );
      await world.query(
        `insert into posting (id, code, debit, credit, amount, user_id, reference, tx) select gen_random_uuid(), 'consumption', 'wallet:1', 'revenue', 1, 1, '', 1
           from generate_series(1, 1200)`,
      );
      const { faults, unlisted } = await world.audit();
      expect([faults.length, unlisted]).toEqual([1_000, 1_300]);
    } finally {
      await world.client.query('rollback');
    }
    expect(await world.audit()).toMatchObject({ faults: [], unlisted: 0 });
  });

  describeExport(world);
});
