import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError, type Host } from '@tollgate/chassis';
import { bound } from '@tollgate/database';
import { ClickhouseLogStore } from './clickhouse-log-store.js';
import { makeColumnTable, requireColumnTable } from './clickhouse-rows.js';
import type { LogStore } from './log-store.js';
import { PostgresLogStore } from './postgres-log-store.js';
import type { PostgresMonths } from './postgres-months.js';

/** Whether a store contains rows; checked for the store that is not configured. */
const USED = {
  postgresql: `select exists (select from "log") as "used"`,
  clickhouse: `select exists (select from "log_key") as "used"`,
} as const;

/**
 * Throws `log-elsewhere` if another store than the configured one has rows, which `ask` queries in the schema of
 * logging. Redelivered events are recognized only by the rows of one store, so they would be counted twice; and whoever
 * reads would find an empty log.
 */
export async function requireLogIn(
  configured: keyof typeof USED,
  ask: (query: string) => Promise<{ used: boolean }[]>,
): Promise<void> {
  const other = configured === 'clickhouse' ? 'postgresql' : 'clickhouse';
  const [row] = await ask(USED[other]);
  if (row?.used === true)
    throw new AppError(
      'unavailable',
      'log-elsewhere',
      `The usage log of this installation is in ${other}: TOLLGATE_LOG_STORE is chosen before the first row, and the same for every replica and command.`,
    );
}

/** The store that the environment selects. */
export async function openLogStore(
  { columnStore, env }: Host,
  em: EntityManager,
  months: PostgresMonths,
): Promise<LogStore> {
  const fork = em.fork();
  await requireLogIn(columnStore ? 'clickhouse' : 'postgresql', (query) => bound(fork, query, []));
  if (!columnStore) return new PostgresLogStore(em, months);
  await (env.TOLLGATE_MIGRATE === 'never' ? requireColumnTable(columnStore) : makeColumnTable(columnStore));
  return new ClickhouseLogStore(em, columnStore);
}
