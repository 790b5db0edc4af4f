import { openClickhouse } from '@tollgate/adapters';
import { ColumnLog } from '@tollgate/logging';
import type { OutsideLog } from '@tollgate/operations';
import type { Installation } from './installation.js';

/** Work that reads the usage log wherever the environment says that it is. */
export async function withLog<Outcome>(
  { env }: Installation,
  work: (where: { outsideLog?: OutsideLog }) => Promise<Outcome>,
): Promise<Outcome> {
  if (env.TOLLGATE_LOG_STORE === 'postgresql') return work({});
  // Who only looks makes nothing.
  const columns = await openClickhouse({ ...env, TOLLGATE_MIGRATE: 'never' });
  try {
    return await work({ outsideLog: new ColumnLog(columns) });
  } finally {
    await columns.stop();
  }
}
