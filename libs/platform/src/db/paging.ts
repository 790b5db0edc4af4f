import type { Page, PageQuery } from '@tollgate/contracts';

/** The page as `limit` and `offset` of a query. */
export const pageWindow = ({ page, size }: PageQuery): { limit: number; offset: number } => ({
  limit: size,
  offset: (page - 1) * size,
});

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
