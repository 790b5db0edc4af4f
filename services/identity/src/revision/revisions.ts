import type { EntityManager } from '@mikro-orm/postgresql';

export type RevisionName = 'user' | 'option';

/**
 * Takes the next revision. The row stays locked until the transaction ends, so revisions become visible in order, and a
 * poll for "changed since N" never misses a row that commits later. Call it after everything that may wait for another
 * lock.
 */
export async function nextRevision(em: EntityManager, name: RevisionName): Promise<number> {
  const [row] = await em.execute<{ value: string }[]>(
    'update "revision" set "value" = "value" + 1 where "name" = ? returning "value"',
    [name],
  );
  return Number(row?.value);
}

/** An object with the value of every revision, as an SQL expression. */
export const CURRENT_REVISIONS = `select json_build_object(
  'user', coalesce(max("value") filter (where "name" = 'user'), 0), 'option', coalesce(max("value") filter (where "name" = 'option'), 0)
) from "revision"`;

export async function currentRevisions(em: EntityManager): Promise<Record<RevisionName, number>> {
  const rows = await em.execute<{ name: RevisionName; value: string }[]>('select "name", "value" from "revision"');
  const byName = new Map(rows.map(({ name, value }) => [name, Number(value)]));
  return { user: byName.get('user') ?? 0, option: byName.get('option') ?? 0 };
}
