import type { EntityManager } from '@mikro-orm/postgresql';
import type { ErasedUser } from '@tollgate/database';
import { addToHours } from '../stat/rollup.js';
import type { LogStore } from '../store/log-store.js';

/** Number of log rows per transaction, plus the rest of the last row's hour. */
const SWEPT_AT_ONCE = 5_000;
/** A user who was renamed within an hour has two rows for it, which are merged. */
const hours = `with gone as (delete from "quota_hour" where "user_id" = ? and "hour" >= ? and "hour" < ? and "username" <> ? returning *)
  ${addToHours(`select "user_id", ?, "model_name", "hour", sum("count"), sum("quota"), sum("token_used"), sum("logged_quota") from gone
  group by "user_id", "model_name", "hour" order by "user_id", "hour", "model_name"`)}`;

const entries = (which: string): string =>
  `update "audit_entry" set "text" = '', "before" = bare_record("before"), "after" = bare_record("after")
  where ${which}
    and ("text" <> '' or "before" is distinct from bare_record("before") or "after" is distinct from bare_record("after"))`;

/**
 * Processes whole hours, one transaction per batch, so that the sums by name change together with their rows and nobody
 * waits for millions of rows. Returns the second to continue from, or null when everything is done: the last batch
 * takes all remaining rows.
 */
export async function sweepPerson(
  store: LogStore,
  em: EntityManager,
  { userId, pseudonym, mark }: ErasedUser,
  atOnce = SWEPT_AT_ONCE,
): Promise<string | null> {
  const from = Number(mark ?? 0);
  const next = await store.eraseNames(em, { userId, pseudonym }, { from, atOnce });
  const to = next ?? Number.MAX_SAFE_INTEGER;
  await em.execute(hours, [userId, from, to, pseudonym, pseudonym], 'run');
  if (next !== undefined) return String(to);
  await em.execute(
    `update "refused_calls" set "message" = '' where "user_id" = ? and "message" <> ''`,
    [userId],
    'run',
  );
  await em.execute(`select set_config('tollgate.erasing', 'on', true)`, [], 'run');
  await em.execute(entries(`"user_id" = ?`), [userId], 'run');
  await em.execute(entries(`"subject" = ?`), [`user:${userId}`], 'run');
  return null;
}
