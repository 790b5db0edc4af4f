import type { EntityManager } from '@mikro-orm/postgresql';
import { toCount } from '../rowset.js';
import { takeFromHours, WHILE_NAMES_STAY } from '../stat/rollup.js';

const BATCH = 5_000;
const deleteSome = `with old as (select "created_at", "id" from "log" where "created_at" < ? order by "created_at", "id" limit ${BATCH}),
  gone as (delete from "log" l using old where l."created_at" = old."created_at" and l."id" = old."id" and l."created_at" < ?
    returning l."created_at", l."type", l."user_id", l."username", l."model_name", l."quota"),
  taken as (${takeFromHours('gone')})
  select count(*) as "rows" from gone`;

/** Deletes in batches, each together with its hours. Returns the number of rows. */
export async function deleteRows(em: EntityManager, before: number): Promise<number> {
  let total = 0;
  for (;;) {
    const [row] = await em.transactional(async (em) => {
      await em.execute(WHILE_NAMES_STAY, [], 'run');
      return em.execute<{ rows: unknown }[]>(deleteSome, [before, before]);
    });
    const deleted = toCount(row?.rows);
    total += deleted;
    if (deleted < BATCH) return total;
  }
}
