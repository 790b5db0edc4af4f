import { useMemo, useRef } from 'react';
import type { NavigateOptions } from 'react-router-dom';
import { useSearchParams } from 'react-router-dom';
import type { PageRequest } from '../../api/paged.js';
import { pageSizeChosen, selectPageSizes } from '../../app/slices/preferences.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';

export type Filter = Record<string, string>;

/** The filters of a page: names of the URL (the API's own), their defaults, and what a value must look like. */
export interface FilterSpec<F extends Filter> {
  defaults: F;
  accept?: Partial<Record<keyof F, RegExp>>;
}

export interface ListState<F extends Filter> {
  filter: F;
  page: number;
  size: number;
  request: PageRequest & { filter: F };
  /** Names whose value is not the default. */
  active: (keyof F & string)[];
  /** Back to page 1; a new entry of the history. */
  apply: (change: Partial<F>) => void;
  /** One filter back to its default. */
  reset: (name: keyof F & string) => void;
  clear: () => void;
  setPage: (page: number, how?: 'push' | 'replace') => void;
  setSize: (size: number) => void;
}

const DEFAULT_SIZE = 10;

export function readFilter<F extends Filter>({ defaults, accept = {} }: FilterSpec<F>, params: URLSearchParams): F {
  const entries = Object.entries(defaults).map(([name, fallback]) => {
    const value = params.get(name);
    const rule = (accept as Record<string, RegExp | undefined>)[name];
    // A bad parameter is dropped: a link from elsewhere must not break the page.
    return [name, value === null || (rule && !rule.test(value)) ? fallback : value];
  });
  return Object.fromEntries(entries) as F;
}

/** Other parameters (open drawers, tabs) stay; defaults are left out. */
export function writeFilter<F extends Filter>(
  { defaults }: FilterSpec<F>,
  filter: F,
  params: URLSearchParams,
): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [name, value] of Object.entries(filter)) {
    if (value === defaults[name]) next.delete(name);
    else next.set(name, value);
  }
  next.delete('p');
  return next;
}

const readPage = (params: URLSearchParams): number => {
  const page = Number(params.get('p') ?? 1);
  return Number.isInteger(page) && page > 0 ? page : 1;
};

const withPage = (params: URLSearchParams, page: number): URLSearchParams => {
  const next = new URLSearchParams(params);
  if (page > 1) next.set('p', String(page));
  else next.delete('p');
  return next;
};

/** The URL is the state: filters and page; the page size is a habit of the person and stored. */
export function useListState<F extends Filter>(
  table: string,
  spec: FilterSpec<F>,
  defaultSize = DEFAULT_SIZE,
): ListState<F> {
  const [params, setParams] = useSearchParams();
  const dispatch = useAppDispatch();
  const sizes = useAppSelector(selectPageSizes);
  const size = sizes[table] ?? sizes.default ?? defaultSize;
  const page = readPage(params);
  const query = params.toString();
  // Two changes may come before the page is drawn with the first of them: the second goes on from there.
  const underWay = useRef<Record<'from' | 'to', URLSearchParams>>(undefined);
  const change = (toNext: (now: URLSearchParams) => URLSearchParams, options?: NavigateOptions): void => {
    const to = toNext(underWay.current?.from === params ? underWay.current.to : params);
    underWay.current = { from: params, to };
    setParams(to, options);
  };
  const filter = useMemo(() => readFilter(spec, new URLSearchParams(query)), [spec, query]);
  return {
    filter,
    page,
    size,
    request: useMemo(() => ({ page, size, filter }), [page, size, filter]),
    active: Object.keys(spec.defaults).filter((name) => filter[name] !== spec.defaults[name]),
    apply: (part) => change((now) => writeFilter(spec, { ...readFilter(spec, now), ...part }, now)),
    reset: (name) => change((now) => writeFilter(spec, { ...readFilter(spec, now), [name]: spec.defaults[name] }, now)),
    clear: () => change((now) => writeFilter(spec, spec.defaults, now)),
    setPage: (next, how = 'push') => change((now) => withPage(now, next), { replace: how === 'replace' }),
    setSize: (next) => {
      const firstRow = (page - 1) * size;
      dispatch(pageSizeChosen({ table, size: next }));
      change((now) => withPage(now, Math.floor(firstRow / next) + 1), { replace: true });
    },
  };
}
