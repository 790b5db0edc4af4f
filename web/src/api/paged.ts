import type { Page } from '@tollgate/contracts/envelope';
import type { EnvelopeMeta } from './envelope-query.js';

/** One page of any list; `total` is undefined where the server tells none. */
export interface Rows<T> {
  items: T[];
  total?: number;
}

/** 1-based page as pages of the console hold it. */
export interface PageRequest {
  page: number;
  size: number;
}

export const rowsOfPage = <T>(page: Page<T>): Rows<T> => ({ items: page.items, total: page.total });
export const rowsOfArray = <T>(items: T[] | null, meta: EnvelopeMeta | undefined): Rows<T> => ({
  items: items ?? [],
  total: meta?.total,
});
