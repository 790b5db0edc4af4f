import { EntityManager } from '@mikro-orm/postgresql';
import type { ServiceName } from '@tollgate/contracts';
import type { ServiceHarness } from './service-harness.js';

/** Runs SQL in a service's schema, to produce a state that would otherwise take hours to come about. */
export async function runSql(
  { process }: Pick<ServiceHarness, 'process'>,
  service: ServiceName,
  sql: string,
  params: unknown[] = [],
): Promise<void> {
  const app = process.services.get(service)?.app;
  if (!app) throw new Error(`${service} does not run here`);
  await app.get(EntityManager).fork().execute(sql, params, 'run');
}
