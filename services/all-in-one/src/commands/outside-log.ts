import { openClickhouse } from '@tollgate/adapters';
import { ColumnLog } from '@tollgate/logging';
import type { OutsideLog } from '@tollgate/operations';
import type { Installation } from './installation.js';

/** For work that reads the usage log, in whichever store the environment configures. */
export async function withLog<Outcome>(
  { env }: Installation,
  work: (where: { outsideLog?: OutsideLog }) => Promise<Outcome>,
): Promise<Outcome> {
  if (env.TOLLGATE_LOG_STORE === 'postgresql') return work({});
  // Reading must not create tables.
  const columns = await openClickhouse({ ...env, TOLLGATE_MIGRATE: 'never' });
  try {
    return await work({ outsideLog: new ColumnLog(columns) });
  } finally {
    await columns.stop();
  }
}
