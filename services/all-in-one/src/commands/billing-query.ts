import type { Query } from '@tollgate/billing';
import { connectPatiently } from '@tollgate/database';
import { besideInstallation, type Installation } from './installation.js';

/**
 * Gives access to billing's tables: in one read-only snapshot for work that reads, in its own transactions for work
 * that writes.
 */
export async function withBilling(
  work: (query: Query, installation: Installation) => Promise<void>,
  { writes = false }: { writes?: boolean } = {},
): Promise<void> {
  await besideInstallation(async (installation) => {
    const client = await connectPatiently(installation.databaseUrl, installation.log);
    const query: Query = async <Row extends object>(text: string, values: unknown[] = []) =>
      (await client.query<Row>(text, values)).rows;
    try {
      await client.query('set search_path = billing');
      if (!writes) await client.query('begin isolation level repeatable read read only');
      await work(query, installation);
    } finally {
      await client.end();
    }
  });
}
