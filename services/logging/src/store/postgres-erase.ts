import type { EntityManager } from '@mikro-orm/postgresql';
import { TO_CHANGE_NAMES } from '../stat/rollup.js';
import type { NamelessUser } from './log-store.js';
import { MAY_NAME } from './postgres-insert.js';

const HOUR = 3600;
/** Where the hour after that of the last row of a batch begins. Nothing: no full batch is left. */
const batchEnd = `select "created_at" - "created_at" % ${HOUR} + ${HOUR} as "end" from "log" where "user_id" = ? and "created_at" >= ?
  order by "created_at", "id" offset ? limit 1`;
const rows = `update "log" set "username" = ?, "token_name" = case when "token_id" > 0 then '' else "token_name" end,
    "content" = case when ${MAY_NAME} then '' else "content" end, "other" = bare_other("other")
  where "user_id" = ? and "created_at" >= ? and "created_at" < ?
    and ("username" <> ? or ("token_id" > 0 and "token_name" <> '') or (${MAY_NAME} and "content" <> '')
      or "other" is distinct from bare_other("other"))`;

/** A batch of rows, and the rest of the hour that the last of them is in. */
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
