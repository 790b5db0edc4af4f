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
