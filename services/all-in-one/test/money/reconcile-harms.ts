import { beforeAll, describe, expect, it } from '@jest/globals';
import { everythingAbout, type ReconcileReport } from '@tollgate/operations';
import { harmsOfAccounts } from './reconcile-harms-accounts.js';
import { harmsOfRecords } from './reconcile-harms-records.js';
import { harmsOfSales } from './reconcile-harms-sales.js';
import { log, type ReconcileSite } from './reconcile-site.js';

const harms = [...harmsOfAccounts, ...harmsOfSales, ...harmsOfRecords];

/** One row of each store is deleted, duplicated, altered or moved; each must be reported. */
export function describeHarms(site: () => ReconcileSite): void {
  describe('damaged rows', () => {
    const sql = <Row extends object>(text: string): Promise<Row[]> => site().sql<Row>(text);
    const look = (): Promise<ReconcileReport> => site().look();

    beforeAll(() => site().payAndDraw(), 120_000);

    it.each(harms)(
      'names %s',
      (_, table, harm, named) => site().withoutChaining(() => namesHarm(table, harm, named)),
      60_000,
    );

    async function namesHarm(table: string, harm: string, named: string | RegExp): Promise<void> {
      const { ids, url } = site();
      const id = ids[2] ?? '';
      const [columns] = await sql<{ names: string }>(
        `select string_agg(quote_ident(attname), ', ') as names from pg_attribute where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      );
      // Triggers refuse such changes, but an owner of the schema can disable them.
      const aside = `set session_replication_role = replica`;
      await sql(`create table kept as select ${columns?.names} from ${table}`);
      try {
        await sql(`${aside}; ${harm.replaceAll('ID', id)}`);
        const { faults } = await look();
        const subjects = faults.map(({ subject, store }) => `${subject} (${store})`);
        const wanted = typeof named === 'string' ? named.replace('ID', id) : named;
        const fault = faults.find(({ subject }) =>
          typeof wanted === 'string' ? subject === wanted : wanted.test(subject),
        );
        expect(fault ? 'named' : subjects).toBe('named');
        // The command that the report suggests must show something.
        expect(Object.keys(await everythingAbout(fault?.subject ?? '', { url, log }))).not.toEqual([]);
      } finally {
        await sql(
          `${aside}; delete from ${table}; insert into ${table} (${columns?.names}) overriding system value select * from kept; drop table kept`,
        );
      }
    }

    it('are no longer reported after they are restored', async () => {
      expect((await look()).faults).toEqual([]);
    }, 60_000);
  });
}
