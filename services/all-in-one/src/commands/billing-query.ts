import type { Query } from '@tollgate/billing';
import { connectPatiently } from '@tollgate/database';
import { besideInstallation, type Installation } from './installation.js';

/** Billing's tables: as of one moment for whoever reads, in transactions of its own for whoever writes. */
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
