import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Takes the next revision. Call it after every other lock of the transaction; only inserts into the outbox may follow.
 */
export async function nextRoutingRevision(em: EntityManager): Promise<number> {
  const [row] = await em.execute<{ revision: string }[]>(
    'update "routing_revision" set "revision" = "revision" + 1 where "id" = 1 returning "revision"',
  );
  return Number(row?.revision);
}

/** As an SQL expression, the revision of the last change to the routing data. */
export const ROUTING_REVISION = 'select "revision" from "routing_revision" where "id" = 1';

/** The revision of the last change to the routing data. */
export async function currentRoutingRevision(em: EntityManager): Promise<number> {
  const [row] = await em.execute<{ revision: string }[]>(ROUTING_REVISION);
  return Number(row?.revision);
}
