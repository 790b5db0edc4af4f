import type { Page } from '@tollgate/contracts/envelope';
import type { EnvelopeMeta } from './envelope-query.js';

/** What a total says if it is not the exact number. */
export type Inexact = 'about' | 'atLeast';

/** One page of a list; `total` is `undefined` if the server does not report it. */
export interface Rows<T> {
  items: T[];
  total?: number;
  /** Absent if the total is exact. */
  inexact?: Inexact;
}

/** `page` counts from 1, as in the console's addresses. */
export interface PageRequest {
  page: number;
  size: number;
}

export const rowsOfPage = <T>(page: Page<T>): Rows<T> => ({ items: page.items, total: page.total });
export const rowsOfArray = <T>(items: T[] | null, meta: EnvelopeMeta | undefined): Rows<T> => ({
  items: items ?? [],
  total: meta?.total,
});

/** The filters that are set, by their names in the API. */
export const given = (filter: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
