import type { EntityManager } from '@mikro-orm/postgresql';

type Connection = ReturnType<EntityManager['getKysely']>;
type Compiled = Parameters<Connection['executeQuery']>[0];

/** One id for all statements: it is only needed to distinguish statements that can be cancelled. */
const queryId = { queryId: 'bound' };

/**
 * Runs a statement in the caller's transaction with bound values (`$1`, `$2`, …). `em.execute` inlines values into the text, which
 * PostgreSQL must then parse: for large batches that takes much of the time. An array is a single value. A statement with a name is parsed
 * and planned once per connection; a name must always stand for the same text.
 */
export async function bound<Row extends object>(
  em: EntityManager,
  text: string | { name: string; text: string },
  values: readonly unknown[],
): Promise<Row[]> {
  const statement = {
    // Passed unchanged to the driver, which accepts both forms.
    sql: text,
    parameters: values,
    query: { kind: 'RawNode', sqlFragments: [], parameters: [] },
    queryId,
  };
  const { rows } = await em.getKysely().executeQuery(statement as unknown as Compiled);
  return rows as Row[];
}
