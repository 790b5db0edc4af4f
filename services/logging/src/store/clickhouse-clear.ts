import type { EntityManager } from '@mikro-orm/postgresql';
import { LogType } from '@tollgate/contracts';
import type { ColumnStore } from '@tollgate/chassis';
import { bound } from '@tollgate/database';
import { rowset, toCount } from '../rowset.js';
import { hourOf } from '../stat/hour-sums.js';
import { WHILE_NAMES_STAY } from '../stat/rollup.js';
import { type Cleared, literal, visible, where } from './clickhouse-conditions.js';
import type { PendingRows } from './clickhouse-pending.js';
import { TABLE } from './clickhouse-rows.js';

const DAY = 86_400;
const SUMS_AT_ONCE = 5_000;

/**
 * Inserting rows takes this lock shared, clearing takes it exclusively, so that the hours lose exactly the cleared
 * rows.
 */
export const WHILE_ROWS_STAY = `select pg_advisory_xact_lock_shared(hashtextextended('tollgate:log-rows', 0))`;
const TO_CLEAR_ROWS = `select pg_advisory_xact_lock(hashtextextended('tollgate:log-rows', 0))`;

/**
 * The reconciliation takes this lock shared: rows cleared after its snapshot must remain in ClickHouse until it is
 * done.
 */
export const REMOVAL = `hashtextextended('tollgate:log-removal', 0)`;

const take = `update "quota_hour" h set "logged_quota" = h."logged_quota" - g."quota"
  from json_to_recordset($1::json) as g("user_id" int, "username" text, "model_name" text, "hour" bigint, "quota" bigint)
  where h."user_id" = g."user_id" and h."hour" = g."hour" and h."model_name" = g."model_name" and h."username" = g."username"`;
/** Replaces notes that are older in both respects, since the new one covers them. */
const note = `with gone as (delete from "log_cleared" where "before" <= $1)
  insert into "log_cleared" ("before", "id") values ($1, nextval('log_id_seq'))`;

/** The clearings so far: rows before `before` (Unix seconds) with an id up to `id` are gone. */
export async function clearedOf(em: EntityManager): Promise<Cleared[]> {
  const rows = await bound<Record<keyof Cleared, unknown>>(em, `select "before", "id" from "log_cleared"`, []);
  return rows.map(({ before, id }) => ({ before: toCount(before), id: toCount(id) }));
}

interface Parts {
  em: EntityManager;
  columns: ColumnStore;
  pending: PendingRows;
}

/**
 * Clears one day per transaction, together with its hours, so that nobody waits for long and readers see either all of
 * a day's rows or none. Returns the number of rows.
 */
export async function clearRows(parts: Parts, before: number): Promise<number> {
  let total = 0;
  for (;;) {
    const cleared = await parts.em.transactional((em) => clearDay(parts, em as EntityManager, before));
    if (cleared === undefined) return total;
    total += cleared;
  }
}

async function clearDay({ columns, pending }: Parts, em: EntityManager, before: number): Promise<number | undefined> {
  await em.execute(WHILE_NAMES_STAY, [], 'run');
  await em.execute(TO_CLEAR_ROWS, [], 'run');
  await pending.moveAll(em);
  const old = [`created_at < ${literal(before)}`, ...visible(await clearedOf(em))];
  const [first] = await columns.query<{ at: string; rows: string }>(
    // FINAL is not needed here, because all versions of a row have the same time.
    `select min(created_at) as at, count() as rows from ${TABLE}${where(old)}`,
  );
  if (toCount(first?.rows ?? 0) === 0) return undefined;
  const end = Math.min(before, hourOf(toCount(first?.at)) + DAY);
  const gone = [...old, `created_at < ${literal(end)}`];
  const [count] = await columns.query<{ rows: string }>(`select count() as rows from ${TABLE} final${where(gone)}`);
  const sums = await columns.query<Record<string, unknown>>(
    `select user_id, username, model_name, created_at - created_at % 3600 as hour, sum(quota) as quota
     from ${TABLE} final${where([...gone, `type = ${LogType.consume}`])} group by user_id, username, model_name, hour`,
  );
  for (let at = 0; at < sums.length; at += SUMS_AT_ONCE)
    await bound(em, take, [rowset(sums.slice(at, at + SUMS_AT_ONCE))]);
  await bound(em, note, [end]);
  return toCount(count?.rows);
}

/**
 * Deletes cleared rows from ClickHouse, and then the note about the clearing. Does nothing while a reconciliation is
 * running.
 */
export async function removeCleared({ em, columns }: Pick<Parts, 'em' | 'columns'>): Promise<void> {
  await em.transactional(async (tx) => {
    const [row] = await bound<{ free: boolean }>(tx, `select pg_try_advisory_xact_lock(${REMOVAL}) as "free"`, []);
    if (row?.free === true) await remove(tx, columns);
  });
}

async function remove(em: EntityManager, columns: ColumnStore): Promise<void> {
  for (const { before, id } of await clearedOf(em)) {
    const gone = `created_at < ${literal(before)} and id <= ${literal(id)}`;
    const [left] = await columns.query<{ rows: string }>(`select count() as rows from ${TABLE} where ${gone}`);
    if (toCount(left?.rows ?? 0) === 0)
      await bound(em, `delete from "log_cleared" where "before" = $1 and "id" = $2`, [before, id]);
    else if (!(await isAltering(columns))) await columns.run(`alter table ${TABLE} delete where ${gone}`);
  }
}

/** Whether a mutation is still to be applied to parts of the table. */
export async function isAltering(columns: ColumnStore): Promise<boolean> {
  const [row] = await columns.query<{ open: string }>(
    `select count() as open from system.mutations where database = currentDatabase() and table = ${literal(TABLE)} and is_done = 0`,
  );
  return toCount(row?.open ?? 0) > 0;
}
