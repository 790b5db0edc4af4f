import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Clock } from '@tollgate/chassis';
import fc from 'fast-check';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { Client } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { auditChains, type ChainAudit } from '../src/seal/chain-audit.js';
import { type Query, ROW_COLUMNS, type StoredRow, toChainedRow } from '../src/seal/chain-rows.js';
import { chainOf, FIRST, linkHash, rowText } from '../src/seal/chain-text.js';
import { type ExportReport, exportJournal } from '../src/seal/journal-export.js';
import { Sealer } from '../src/seal/sealer.js';
import { openSigningKey } from '../src/seal/signing-key.js';
import { corruptions, stranger } from './export-corruptions.js';
import { type BillingTestBed, startBilling } from './test-bed.js';

const ROWS = 60;
const NOT_IN_FIRST_TEXTS = { model: null, group: null, channelId: null, eventPartition: null, eventOffset: null };

describe('the sealed journal', () => {
  let billing: BillingTestBed;
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
  const chain = (): Promise<boolean> => billing.inContext(() => billing.get(Sealer).chainAll());
  const audit = (): Promise<ChainAudit> => auditChains(query);
  /**
   * Repeats until every posting is sealed: a transaction elsewhere in the service delays the newest ones to the next
   * round.
   */
  const sealAll = async (): Promise<void> => {
    do await seal();
    while ((await audit()).unsealed > 0);
  };
  /** Each connection books for a user of its own, because bookings of the same wallet wait for each other. */
  const post = (on: Client, amount: number, id = uuidv7()): Promise<unknown> =>
    on.query(
      `insert into posting (id, code, debit, credit, amount, user_id, reference, reason) values ($1, 'consumption', 'wallet:' || $4::int, 'revenue', $2, $4::int, $3, 'completed\u2028so')`,
      [id, amount, id, on === client ? 1 : 2],
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

  it('skips no posting that commits late, whatever commits before it', async () => {
    const slow = await connect();
    await slow.query('begin');
    await post(slow, 1);
    await post(client, 2);
    await chain();
    await post(client, 3);
    await chain();
    // Nothing after the running transaction counts as sealed.
    await slow.query('commit');
    await slow.end();
    await chain();
    await sealAll();
    expect(await audit()).toMatchObject({ rows: 3, unsealed: 0, faults: [] });
  });

  it('moves its mark over time without a posting, and looks closer only when there is one', async () => {
    const mark = async (): Promise<number> =>
      Number((await query<{ tx: string }>('select tx from seal_progress'))[0]?.tx);
    const chained = async (): Promise<unknown[]> =>
      query(`select posting_id from journal_link where posting_id = $1`, [id]);
    const id = uuidv7();
    await sealAll();
    const before = await mark();
    // Every transaction has a number, whether it books or not.
    await client.query('select pg_current_xact_id()');
    const closer = jest.spyOn(Sealer.prototype as unknown as { chainSome(): Promise<boolean> }, 'chainSome');
    await chain();
    expect([closer.mock.calls.length, (await mark()) > before]).toEqual([0, true]);
    const slow = await connect();
    await slow.query('begin');
    await slow.query('select pg_current_xact_id()');
    const held = await mark();
    await post(client, 7, id);
    await chain();
    // Whoever is behind the oldest transaction that still runs has its turn after it.
    expect([closer.mock.calls.length, await chained()]).toEqual([0, []]);
    await slow.query('commit');
    await slow.end();
    await chain();
    expect([closer.mock.calls.length > 0, await chained()]).toEqual([true, [{ posting_id: id }]]);
    expect(await mark()).toBeGreaterThan(held);
    closer.mockRestore();
    await sealAll();
    expect(await audit()).toMatchObject({ unsealed: 0, faults: [] });
  });

  it('chains a late posting of an earlier month in that month, and two workers make one chain', async () => {
    await Promise.all(
      Array.from({ length: ROWS }, (_, index) => post(client, index + 1, index % 5 === 0 ? lastMonth() : uuidv7())),
    );
    await Promise.all([chain(), chain(), chain()]);
    await Promise.all([seal(), seal()]);
    await sealAll();
    const { rows, faults, unsealed } = await audit();
    expect({ rows, faults, unsealed }).toEqual({ rows: ROWS + 4, faults: [], unsealed: 0 });
  });

  it('continues after the database was moved to a server whose transaction ids start anew', async () => {
    await client.query('update seal_progress set tx = 9000000000000000');
    await post(client, 5);
    await sealAll();
    expect(await audit()).toMatchObject({ rows: ROWS + 5, unsealed: 0, faults: [] });
  });

  it('reports only what is sealed: a long transaction delays the mark', async () => {
    const clock = billing.get(Clock);
    const told = async (): Promise<number> => {
      const page = (await billing.harness.host.metrics.get('billing')?.registry.metrics()) ?? '';
      return Number(/^tollgate_billing_journal_sealed_timestamp_seconds\S* (\S+)$/m.exec(page)?.[1]) * 1000;
    };
    await sealAll();
    const slow = await connect();
    await slow.query('begin');
    await post(slow, 1);
    const begun = clock.now();
    for (let round = 0; round < 3; round += 1) {
      await post(client, 2);
      await seal();
      expect(await told()).toBeLessThanOrEqual(begun);
    }
    await slow.query('commit');
    await slow.end();
    await sealAll();
    expect(await told()).toBeGreaterThan(begun);
  });

  it('still proves what was hashed before model, group and channel were part of the text', async () => {
    const id = uuidv7();
    const before = await connect();
    await before.query('begin; select from seal_progress for update');
    await post(before, 4, id);
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
    await sealAll();
    expect((await audit()).faults).toEqual([]);
  });

  it('keeps its private key sealed', async () => {
    const [row] = await query<{ private_sealed: string; public_key: string }>('select * from seal_key');
    expect(row?.public_key).toMatch(/^[0-9a-f]{64}$/);
    expect(row?.private_sealed).not.toContain('PRIVATE KEY');
    await expect(query('update seal_key set public_key = $1', ['00'])).rejects.toThrow(/append-only/);
  });

  /** Damages one row, chosen by a number; returns the posting that the audit must name, if it can name one. */
  const harms: Record<string, (nth: number) => Promise<string | undefined>> = {
    async edit(nth) {
      const columns = [
        'code',
        'debit',
        'credit',
        'reference',
        'reason',
        'price_version',
        'replica_epoch',
        'model',
        'group',
      ];
      const numbers = ['amount', 'user_id', 'token_id', 'actor_id', 'channel_id', 'event_partition', 'event_offset'];
      const name = [...columns, ...numbers][nth % 16] ?? 'amount';
      const id = await idOf(nth);
      await query(
        `update posting set "${name}" = ${columns.includes(name) ? `coalesce("${name}", '') || 'x'` : `coalesce("${name}", 0) + 1`} where id = $1`,
        [id],
      );
      return id;
    },
    async 'another version of the text'(nth) {
      // Some rows have the first version of the text already.
      const newer = await query<{ id: string }>(
        'select posting_id as id from journal_link where version > 1 order by 1',
      );
      const id = newer[nth % newer.length]?.id ?? '';
      await query('update journal_link set version = 1 where posting_id = $1', [id]);
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
    async 'insertion by a transaction that is yet to come'(nth) {
      const id = uuidv7();
      await post(client, nth, id);
      await query('update posting set tx = 900000000000000 where id = $1', [id]);
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
    async 'a seal that is none'(nth) {
      const text = ['no JSON', 'null', '7', '"text"', '{}'][nth % 5];
      await query(`update journal_seal set text = $1 where number = 1`, [text]);
      return undefined;
    },
    async 'a key that is none'(nth) {
      await query(`update seal_key set public_key = $1`, [['', 'no key', 'ab'.repeat(31)][nth % 3]]);
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

  it('reports whatever was edited, removed, inserted or reordered', async () => {
    // A second seal, so that the first one has a successor.
    await post(client, 9);
    await sealAll();
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

  it('lists a thousand faults of a completely damaged chain, and counts the others', async () => {
    await client.query('begin');
    try {
      await query(
        `insert into journal_link (chain, position, posting_id, hash) select '2020-01', n, gen_random_uuid(), '' from generate_series(1, 1100) n`,
      );
      await query(
        `insert into posting (id, code, debit, credit, amount, user_id, reference, tx) select gen_random_uuid(), 'consumption', 'wallet:1', 'revenue', 1, 1, '', 1
           from generate_series(1, 1200)`,
      );
      const { faults, unlisted } = await audit();
      expect([faults.length, unlisted]).toEqual([1_000, 1_300]);
    } finally {
      await client.query('rollback');
    }
    expect(await audit()).toMatchObject({ faults: [], unlisted: 0 });
  });

  describe('its export', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-journal-'));
    const whole = join(folder, 'whole');
    const VERIFY = resolve(import.meta.dirname, '../../../tools/verify');
    let publicKey = '';
    let report: ExportReport;

    const verdict = (at: string, program: 'node' | 'python3', key = publicKey): { ok: boolean; text: string } => {
      const file = join(VERIFY, program === 'node' ? 'verify.mjs' : 'verify.py');
      const { status, stdout, stderr } = spawnSync(program, [file, at, key], { encoding: 'utf8' });
      return { ok: status === 0, text: stdout + stderr };
    };
    const signingKey = async () => {
      const [row] = await query<{ private_sealed: string; public_key: string }>('select * from seal_key');
      publicKey = row?.public_key ?? '';
      return openSigningKey(billing.harness.host.secrets, row?.private_sealed ?? '');
    };

    beforeAll(async () => {
      await post(client, 11);
      await sealAll();
      await post(client, 12);
      await sealAll();
      report = await exportJournal({ query, folder: whole, from: 0, to: Date.now() + 1000, key: await signingKey() });
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('is verified by both programs, which are short and have no dependencies', () => {
      for (const [program, file] of [
        ['node', 'verify.mjs'],
        ['python3', 'verify.py'],
      ] as const) {
        expect(verdict(whole, program).text).toContain('VERIFIED: the journal');
        const text = readFileSync(join(VERIFY, file), 'utf8');
        expect(text.trimEnd().split('\n').length).toBeLessThan(150);
        expect([...text.matchAll(/from '([^']+)'/g)].every(([, name]) => name?.startsWith('node:'))).toBe(true);
      }
      execFileSync('python3', [join(VERIFY, 'verify.py'), whole, publicKey, '--all']);
    });

    it('has the same rows as Parquet', async () => {
      const lines = readFileSync(join(whole, 'journal.ndjson'), 'utf8')
        .trim()
        .split('\n')
        // Rows that were hashed before these members were part of the text do not have them.
        .map((line) => ({ ...NOT_IN_FIRST_TEXTS, ...(JSON.parse(line) as { position: number; amount: number }) }));
      const rows = await parquetReadObjects({ file: await asyncBufferFromFile(join(whole, 'journal.parquet')) });
      expect(lines).toHaveLength(report.rows);
      expect(rows.map((row) => ({ ...row, position: Number(row['position']), amount: Number(row['amount']) }))).toEqual(
        lines,
      );
    });

    it('contains a part of the chains for a part of the time, which is verified too', async () => {
      const part = join(folder, 'part');
      const now = Date.now();
      const last = uuidv7({ msecs: now });
      await post(client, 77, last);
      await sealAll();
      const { rows } = await exportJournal({ query, folder: part, from: now, to: now + 1, key: await signingKey() });
      expect(rows).toBeLessThan(report.rows);
      expect(readFileSync(join(part, 'journal.ndjson'), 'utf8')).toContain(last);
      for (const program of ['node', 'python3'] as const)
        expect(verdict(part, program).text).toContain('VERIFIED: the journal');
      await expect(exportJournal({ query, folder: part, from: 0, to: 1, key: await signingKey() })).rejects.toThrow(
        /not empty/,
      );
    });

    it.each(corruptions)('does not pass with %s', (kind, file, edit, named) => {
      const spoilt = join(folder, kind.replaceAll(' ', '-'));
      cpSync(whole, spoilt, { recursive: true });
      const lines = readFileSync(join(whole, file), 'utf8').trimEnd().split('\n');
      const edited = edit(lines);
      expect(edited).not.toEqual(lines);
      writeFileSync(join(spoilt, file), `${edited.join('\n')}\n`);
      for (const program of ['node', 'python3'] as const) {
        const { ok, text } = verdict(spoilt, program);
        expect({ ok, text }).toEqual({ ok: false, text: expect.stringMatching(named) });
      }
    });

    it('is not verified by another public key', () => {
      for (const program of ['node', 'python3'] as const)
        expect(verdict(whole, program, stranger.publicKey).text).toContain('not by the given key');
    });
  });
});
