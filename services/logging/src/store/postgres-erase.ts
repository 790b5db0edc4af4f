import type { EntityManager } from '@mikro-orm/postgresql';
import { TO_CHANGE_NAMES } from '../stat/rollup.js';
import type { NamelessUser } from './log-store.js';
import { MAY_NAME } from './postgres-insert.js';

const HOUR = 3600;
/** The beginning of the hour after the last row of a full batch; no row if there is no full batch left. */
const batchEnd = `select "created_at" - "created_at" % ${HOUR} + ${HOUR} as "end" from "log" where "user_id" = ? and "created_at" >= ?
  order by "created_at", "id" offset ? limit 1`;
const rows = `update "log" set "username" = ?, "token_name" = case when "token_id" > 0 then '' else "token_name" end,
    "content" = case when ${MAY_NAME} then '' else "content" end, "other" = bare_other("other")
  where "user_id" = ? and "created_at" >= ? and "created_at" < ?
    and ("username" <> ? or ("token_id" > 0 and "token_name" <> '') or (${MAY_NAME} and "content" <> '')
      or "other" is distinct from bare_other("other"))`;

/** Updates a batch of rows, plus the rest of the last row's hour. */
export async function eraseNames(
  em: EntityManager,
  { userId, pseudonym }: NamelessUser,
  { from, atOnce }: { from: number; atOnce: number },
): Promise<number | undefined> {
  const [full] = await em.execute<{ end: string }[]>(batchEnd, [userId, from, atOnce - 1]);
  const end = full && Number(full.end);
  await em.execute(TO_CHANGE_NAMES, [], 'run');
  await em.execute(rows, [pseudonym, userId, from, end ?? Number.MAX_SAFE_INTEGER, pseudonym], 'run');
  return end;
}
