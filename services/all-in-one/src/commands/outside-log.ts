import { openClickhouse } from '@tollgate/adapters';
import type { Env, Logger } from '@tollgate/chassis';
import { connectPatiently } from '@tollgate/database';
import { ColumnLog, requireLogIn } from '@tollgate/logging';
import type { OutsideLog } from '@tollgate/operations';
import type { Installation } from './installation.js';

/**
 * For work that reads the usage log, in the store that the environment configures. Throws `log-elsewhere` if the log of
 * the installation is in another one.
 */
export async function withLog<Outcome>(
  { env, databaseUrl, log }: Installation,
  work: (where: { outsideLog?: OutsideLog }) => Promise<Outcome>,
): Promise<Outcome> {
  await requireLogHere(env.TOLLGATE_LOG_STORE, databaseUrl, log);
  if (env.TOLLGATE_LOG_STORE === 'postgresql') return work({});
  // Reading must not create tables.
  const columns = await openClickhouse({ ...env, TOLLGATE_MIGRATE: 'never' });
  try {
    return await work({ outsideLog: new ColumnLog(columns) });
  } finally {
    await columns.stop();
  }
}

async function requireLogHere(store: Env['TOLLGATE_LOG_STORE'], url: string, log: Logger): Promise<void> {
  const client = await connectPatiently(url, log);
  try {
    await client.query('set search_path = logging');
    await requireLogIn(store, async (query) => (await client.query<{ used: boolean }>(query)).rows);
  } finally {
    await client.end();
  }
}
