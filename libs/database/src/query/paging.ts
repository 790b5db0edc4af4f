import type { EntityManager, EntityName, FilterQuery, FindOptions } from '@mikro-orm/postgresql';
import type { Page, PageQuery } from '@tollgate/contracts';

/** The `limit` and `offset` of a page. */
export const pageWindow = ({ page, size }: PageQuery): { limit: number; offset: number } => ({
  limit: size,
  offset: (page - 1) * size,
});

/**
 * The number of matching rows, for a page of which `found` rows were read. A page that is not full is the last one, so the total follows
 * from it; a count at another time could contradict it, and costs a query.
 */
export async function totalOf(found: number, { page, size }: PageQuery, count: () => Promise<number>): Promise<number> {
  const { limit, offset } = pageWindow({ page, size });
  const isLast = found < limit && (found > 0 || offset === 0);
  return isLast ? offset + found : count();
}

/** One page of an entity's rows, newest first and detached, and the number of all rows that match. */
export async function findPage<Entity extends { id: number }>(
  em: EntityManager,
  entity: EntityName<Entity>,
  where: FilterQuery<NoInfer<Entity>>,
  query: PageQuery,
): Promise<[rows: Entity[], total: number]> {
  const newest = { orderBy: { id: 'desc' }, disableIdentityMap: true } as FindOptions<Entity>;
  const rows = (await em.find(entity, where, { ...newest, ...pageWindow(query) })) as Entity[];
  return [rows, await totalOf(rows.length, query, () => em.count(entity, where))];
}

/** The documented page object around one page of rows. */
export const toPage = <Row, Reply>(
  rows: readonly Row[],
  total: number,
  query: PageQuery,
  reply: (row: Row) => Reply,
): Page<Reply> => ({
  items: rows.map(reply),
  total,
  page: query.page,
  page_size: query.size,
});
