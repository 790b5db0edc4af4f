import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError, type Host } from '@tollgate/chassis';
import { bound } from '@tollgate/database';
import { ClickhouseLogStore } from './clickhouse-log-store.js';
import { makeColumnTable, requireColumnTable } from './clickhouse-rows.js';
import type { LogStore } from './log-store.js';
import { PostgresLogStore } from './postgres-log-store.js';
import type { PostgresMonths } from './postgres-months.js';

/** Rows of one store, and what is asked once it is not the chosen one. */
const USED = {
  postgresql: `select exists (select from "log") as "used"`,
  clickhouse: `select exists (select from "log_key") as "used"`,
} as const;

/** Events that come again are known by the rows of one store alone, and would be summed twice beside the other. */
async function requireUnused(em: EntityManager, other: keyof typeof USED): Promise<void> {
  const [row] = await bound<{ used: boolean }>(em, USED[other], []);
  if (row?.used === true)
    throw new AppError(
      'unavailable',
      'log-elsewhere',
      `The usage log of this installation is in ${other}: TOLLGATE_LOG_STORE is chosen before the first row, and the same for every replica.`,
    );
}

/** The store that the environment chose. */
export async function openLogStore(
  { columnStore, env }: Host,
  em: EntityManager,
  months: PostgresMonths,
): Promise<LogStore> {
  await requireUnused(em.fork(), columnStore ? 'postgresql' : 'clickhouse');
  if (!columnStore) return new PostgresLogStore(em, months);
  await (env.TOLLGATE_MIGRATE === 'never' ? requireColumnTable(columnStore) : makeColumnTable(columnStore));
  return new ClickhouseLogStore(em, columnStore);
}
