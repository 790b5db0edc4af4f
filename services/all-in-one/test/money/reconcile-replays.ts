import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EntityManager, RequestContext } from '@mikro-orm/postgresql';
import { exportJournal, openSigningKey, Sealer } from '@tollgate/billing';
import { appendToTable, tableReader } from '@tollgate/operations';
import { readUntil, startProduct } from '@tollgate/testing';
import { Client } from 'pg';
import { v7 } from 'uuid';
import { replayExport } from '../../src/commands/journal-replay.js';
import { allServices } from '../../src/index.js';
import { log, type ReconcileSite, withClient } from './reconcile-site.js';

/** Rebuilds the books in an empty database. */
export function describeReplays(site: () => ReconcileSite): void {
  describe('replay', () => {
    const sql = <Row extends object>(text: string): Promise<Row[]> => site().sql<Row>(text);

    it('restores the consumption in an empty database from the topic alone', async () => {
      const digest = `select (select md5(string_agg(p::text, '|' order by p.id)) from (
          select id, code, debit, credit, amount, user_id, token_id, reference, price_version, replica_epoch, reason from billing.posting where code = 'consumption') p) as journal,
        (select md5(string_agg(a::text, '|' order by a.user_id)) from (select user_id, spent - coalesce((select sum(case credit when 'revenue' then amount else -amount end) from billing.posting where code in ('correction', 'task-refund') and user_id = a.user_id), 0) as spent,
          request_count from billing.account a where request_count > 0) a) as balances`;
      const [before] = await sql<{ journal: string; balances: string }>(digest);
      const records: { key: string; value: string }[] = [];
      const client = new Client({ connectionString: site().url });
      await client.connect();
      await tableReader(client)('request-consumed', (batch) => Promise.resolve(void records.push(...batch))).finally(
        () => client.end(),
      );
      const versions = await sql<{ id: string; document: object }>('select id, document from billing.price_version');

      const empty = await startProduct(allServices);
      try {
        const target = empty.host.env.DATABASE_URL ?? '';
        const there = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> => {
          const other = new Client({ connectionString: target });
          await other.connect();
          return (await other.query<Row>(text, values).finally(() => other.end())).rows;
        };
        for (const { id, document } of versions)
          await there('insert into billing.price_version (id, document) values ($1, $2) on conflict do nothing', [
            id,
            document,
          ]);
        await appendToTable({ url: target, log, topic: 'request-consumed', records });
        const found = await readUntil(
          () => there<{ journal: string; balances: string }>(digest),
          ([row]) => row?.journal === before?.journal,
          30_000,
        );
        expect(found).toEqual([before]);
        // All of them once more: nothing may be booked twice.
        await appendToTable({ url: target, log, topic: 'request-consumed', records });
        await readUntil(
          () =>
            there<{ behind: string }>(
              `select sum(t.next - c.next) as behind from event_log.committed_offset c join event_log.topic_partition t using (topic, partition) where c.topic = 'request-consumed' and c.consumer_group = 'billing'`,
            ),
          ([row]) => Number(row?.behind) === 0,
          30_000,
        );
        expect(await there(digest)).toEqual([before]);
      } finally {
        await empty.close();
      }
    }, 120_000);

    it('restores postings of every kind in an empty database from an export of the journal alone', async () => {
      const digest = `select (select md5(string_agg(p::text, '|' order by p.id)) from (select id, code, debit, credit, amount, user_id, token_id, reference,
          price_version, replica_epoch, actor_id, reason, booked_at, model, "group", channel_id, event_partition, event_offset, cost, cost_version from billing.posting) p) as journal,
        (select md5(string_agg(a::text, '|' order by a.user_id)) from (select user_id, credit, spent, request_count, aff_quota, aff_history_quota
          from billing.account where credit <> 0 or spent <> 0 or aff_history_quota <> 0) a) as balances,
        (select md5(string_agg(k::text, '|' order by k)) from (select code, reference, posting_id from billing.posting_key where posting_id is not null) k) as keys,
        (select md5(string_agg(s::text, '|' order by s)) from (select origin, user_id, code, debit, credit, "group", channel_id, model, sum(amount), sum(count), sum(cost), sum(costed)
          from billing.statement_day group by 1, 2, 3, 4, 5, 6, 7, 8) s) as statements`;
      const billing = site().testBed.process.services.get('billing')!.app;
      // A reward for an invitation, and its transfer to the user's own wallet.
      await sql(
        `insert into billing.posting (id, code, debit, credit, amount, user_id, reference) values (gen_random_uuid(), 'inviter-reward', 'grants', 'affiliate:2', 90, 2, 'r1'),
           (gen_random_uuid(), 'affiliate-transfer', 'affiliate:2', 'wallet:2', 30, 2, 'r2');
         insert into billing.posting_key (code, reference, posting_id) select code, reference, id from billing.posting where reference in ('r1', 'r2');
         update billing.account set credit = credit + 30, aff_quota = 60, aff_history_quota = 90 where user_id = 2`,
      );
      // A charge on leased quota whose cost is known.
      const lent = v7();
      await sql(
        `insert into billing.posting (id, code, debit, credit, amount, user_id, token_id, reference, reason, price_version, replica_epoch, cost, cost_version)
           values ('${lent}', 'consumption', 'wallet:2', 'revenue', 70, 2, 77, '${lent}', 'success', 'p', 'lent', 45, 3);
         update billing.account set spent = spent + 70, request_count = request_count + 1 where user_id = 2`,
      );
      await sql(
        `insert into billing.price_version (id, document) select 'of another year ' || i, '{}' from generate_series(1, 50) as i`,
      );
      const sealed = async (): Promise<boolean> => {
        await RequestContext.create(billing.get(EntityManager), () => billing.get<Sealer>(Sealer as never).seal());
        const [row] = await sql<{ left: string }>(
          `select (select count(*) from billing.posting) - (select coalesce(sum(position), 0) from (select distinct on (chain) chain, position from billing.journal_seal order by chain, position desc) s) as left`,
        );
        return Number(row?.left) === 0;
      };
      // The chain waits for every open transaction of the server, including those of suites that run at the same time.
      expect(await readUntil(sealed, Boolean, 60_000)).toBe(true);
      const [before] = await sql<object>(digest);
      const codes = await sql<{ code: string }>('select distinct code from billing.posting order by 1');
      expect(codes.map(({ code }) => code)).toEqual(
        expect.arrayContaining([
          'admin-adjustment',
          'affiliate-transfer',
          'consumption',
          'correction',
          'redemption',
          'task-refund',
          'token-budget',
          'top-up',
        ]),
      );

      const folder = mkdtempSync(join(tmpdir(), 'tollgate-replay-'));
      const [key] = await sql<{ private_sealed: string; public_key: string }>('select * from billing.seal_key');
      const signing = openSigningKey(site().testBed.host.secrets, key?.private_sealed ?? '');
      await withClient(site().url, (query) => exportJournal({ query, folder, from: 0, to: 8.64e15, key: signing }));
      const empty = await startProduct(allServices);
      try {
        const target = empty.host.env.DATABASE_URL ?? '';
        const replay = () => withClient(target, (query) => replayExport(query, folder, key?.public_key ?? ''));
        const again = () => withClient(target, (query) => query<object>(digest));
        await expect(withClient(target, (query) => replayExport(query, folder, '00'.repeat(32)))).rejects.toThrow(
          /not signed/,
        );
        // Quota is leased, as in a backup of a day with traffic.
        await withClient(target, async (query) => {
          await query(`insert into replica (epoch, synced_at) values ('lent', now())`);
          await query(
            `insert into lease (kind, account_id, replica_epoch, granted) values ('wallet', 2, 'lent', 100), ('token', 77, 'lent', 90)`,
          );
          await query(`insert into account (user_id, held) values (2, 100)`);
          await query(
            `insert into token (id, user_id, name, key_hash, key_sealed, key_hint, created_time, held) values (77, 2, 't', 'h', 's', 'k', 0, 90)`,
          );
        });
        const held = () =>
          withClient(target, (query) =>
            query<object>(
              `select (select held::int from account where user_id = 2) as wallet, (select held::int from token where id = 77) as token,
                 (select count(*)::int from held_faults()) as faults`,
            ),
          );
        const { rows, posted, prices } = await replay();
        expect([posted, prices]).toEqual([rows, 50]);
        expect(await held()).toEqual([{ wallet: 30, token: 20, faults: 0 }]);
        expect(await again()).toEqual([before]);
        // The next new user must not get an existing wallet, nor a new token an existing budget.
        const numbers = `select nextval('identity.users_id_seq') > (select max(user_id) from posting) as "user", nextval('token_id_seq') > 77 as "token",
          nextval('redemption_id_seq') > (select max(reference::int) from posting where code = 'redemption') as "code",
          nextval('approval_id_seq') > (select max(substring(reason from 'run (\\d+),')::int) from posting where code = 'correction') as "approval"`;
        expect(await withClient(target, (query) => query<object>(numbers))).toEqual([
          { user: true, token: true, code: true, approval: true },
        ]);
        // Nothing may be posted twice, neither by a repetition nor by the topic.
        expect(await replay()).toMatchObject({ rows, posted: 0, prices: 0, states: 0, numbers: 0 });
        expect(await again()).toEqual([before]);
        expect(await held()).toEqual([{ wallet: 30, token: 20, faults: 0 }]);
        // A charge later than the export, of a user and a token that nothing else mentions.
        await withClient(target, (query) =>
          query(`insert into posting (id, code, debit, credit, amount, user_id, token_id, reference) select id, 'consumption', 'wallet:500', 'revenue', 1, 500, 600, id
            from (select gen_random_uuid() as id) i`),
        );
        expect(await replay()).toMatchObject({ posted: 0, numbers: 2 });
        appendFileSync(join(folder, 'prices.ndjson'), '\n');
        await expect(replay()).rejects.toThrow(/prices.ndjson is not the file/);
      } finally {
        await empty.close();
        rmSync(folder, { recursive: true });
      }
    }, 240_000);
  });
}
