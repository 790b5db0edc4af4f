import type { EntityManager } from '@mikro-orm/postgresql';
import type { ColumnStore } from '@tollgate/chassis';
import { bound } from '@tollgate/database';
import { toCount } from '../rowset.js';
import { type StoredRow, TABLE } from './clickhouse-rows.js';

const AT_ONCE = 2_000;

const add = `insert into "log_pending" ("id", "version", "row")
  select * from unnest($1::bigint[], $2::int[], $3::text[]) as e("id", "version", "row")`;
const newest = `select max("id") as "id" from "log_pending"`;
/** Waits for rows that another process is moving right now. */
const take = `delete from "log_pending" p using (
    select "id", "version" from "log_pending" where "id" <= $1 order by "id", "version" limit ${AT_ONCE} for update) t
  where p."id" = t."id" and p."version" = t."version" returning p."row"`;

/**
 * Rows on their way to ClickHouse. They are stored in the transaction that adds them to the sums and moved after its
 * commit. So ClickHouse never contains an uncommitted row, and a committed row is in ClickHouse or here. Moving can be
 * repeated, because the same row replaces itself.
 */
export class PendingRows {
  private running: Promise<void> | undefined;
  private next: Promise<void> | undefined;

  constructor(
    private readonly em: EntityManager,
    private readonly columns: ColumnStore,
  ) {}

  async add(em: EntityManager, rows: readonly StoredRow[]): Promise<void> {
    if (rows.length === 0) return;
    await bound(em, add, [
      rows.map(({ id }) => id),
      rows.map(({ version }) => version),
      rows.map((row) => JSON.stringify(row)),
    ]);
  }

  /** Moves all rows committed so far. Calls made during a run share the next run. */
  settle(): Promise<void> {
    if (!this.running) return this.start();
    return (this.next ??= this.running
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        return this.start();
      }));
  }

  /** Moves all rows, in a transaction in which nobody else can add any. */
  async moveAll(em: EntityManager): Promise<void> {
    for (let id = await this.newest(em); id !== undefined; id = await this.newest(em)) await this.move(em, id);
  }

  private start(): Promise<void> {
    this.running = this.run().finally(() => (this.running = undefined));
    return this.running;
  }

  private async run(): Promise<void> {
    const em = this.em.fork();
    const last = await this.newest(em);
    if (last === undefined) return;
    for (let first = await this.oldest(em); first !== undefined && first <= last; first = await this.oldest(em))
      await em.transactional((tx) => this.move(tx, last));
  }

  private async move(em: EntityManager, last: number): Promise<void> {
    const rows = await bound<{ row: string }>(em, take, [last]);
    await this.columns.insert(
      TABLE,
      rows.map(({ row }) => JSON.parse(row) as StoredRow),
    );
  }

  private async newest(em: EntityManager): Promise<number | undefined> {
    const [row] = await bound<{ id: unknown }>(em, newest, []);
    return row?.id == null ? undefined : toCount(row.id);
  }

  private async oldest(em: EntityManager): Promise<number | undefined> {
    const [row] = await bound<{ id: unknown }>(em, `select min("id") as "id" from "log_pending"`, []);
    return row?.id == null ? undefined : toCount(row.id);
  }
}
