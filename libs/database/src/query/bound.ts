import type { EntityManager } from '@mikro-orm/postgresql';

type Connection = ReturnType<EntityManager['getKysely']>;
type Compiled = Parameters<Connection['executeQuery']>[0];

/** One for all statements: it only tells those apart that somebody may want to cancel. */
const queryId = { queryId: 'bound' };

/**
 * Runs a statement in the caller's transaction with its values beside it (`$1`, `$2`, …). `em.execute` writes them into the text, which
 * PostgreSQL then has to read once more: for whole batches that is a good part of the work. An array is one value. A statement with a
 * name is parsed and planned once for each connection; the name stands for this text alone.
 */
export async function bound<Row extends object>(
  em: EntityManager,
  text: string | { name: string; text: string },
  values: readonly unknown[],
): Promise<Row[]> {
  const statement = {
    // Handed on to the driver as it is, which takes either form.
    sql: text,
    parameters: values,
    query: { kind: 'RawNode', sqlFragments: [], parameters: [] },
    queryId,
  };
  const { rows } = await em.getKysely().executeQuery(statement as unknown as Compiled);
  return rows as Row[];
}
