import { useEffect, useMemo, useRef } from 'react';
import type { NavigateOptions } from 'react-router-dom';
import { useLocation, useSearchParams } from 'react-router-dom';
import type { PageRequest } from '../../api/paged.js';
import { pageSizeChosen, pageSizes, selectPageSizes } from '../../app/slices/preferences.js';
import { selectConfirmed } from '../../app/slices/session.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';

export type Filter = Record<string, string>;

/** The filters of a page: their names in the URL (the API's own), their defaults and the patterns that values must match. */
export interface FilterSpec<F extends Filter> {
  defaults: F;
  accept?: Partial<Record<keyof F, RegExp>>;
  /** Translates an address that was not made by the page, such as one with other names of the API. */
  understand?: (params: URLSearchParams) => URLSearchParams;
}

export interface ListState<F extends Filter> {
  filter: F;
  page: number;
  size: number;
  request: PageRequest & { filter: F };
  /** Names of the filters that differ from their defaults. */
  active: (keyof F & string)[];
  /** Changes filters and returns to page 1; adds a history entry. */
  apply: (change: Partial<F>) => void;
  /** Sets one filter to its default. */
  reset: (name: keyof F & string) => void;
  clear: () => void;
  setPage: (page: number, how?: 'push' | 'replace') => void;
  setSize: (size: number) => void;
}

const DEFAULT_SIZE = 10;

const understood = <F extends Filter>({ understand }: FilterSpec<F>, params: URLSearchParams): URLSearchParams =>
  understand?.(params) ?? params;

export function readFilter<F extends Filter>(spec: FilterSpec<F>, address: URLSearchParams): F {
  const { defaults, accept = {} } = spec;
  const params = understood(spec, address);
  const entries = Object.entries(defaults).map(([name, fallback]) => {
    const value = params.get(name);
    const rule = (accept as Record<string, RegExp | undefined>)[name];
    // An invalid parameter is ignored, so that a broken link from elsewhere still opens the page.
    return [name, value === null || (rule && !rule.test(value)) ? fallback : value];
  });
  return Object.fromEntries(entries) as F;
}

const readPage = (params: URLSearchParams): number => {
  const page = Number(params.get('p') ?? 1);
  return Number.isInteger(page) && page > 0 ? page : 1;
};

/** The page size of an address that somebody has written or sent; `undefined` if it has none that can be chosen. */
const readSize = (params: URLSearchParams): number | undefined =>
  pageSizes.find((size) => String(size) === params.get('page_size'));

/** The address in the page's own names, without the parameters of the list that are ignored because they are invalid. */
export function withoutInvalid<F extends Filter>(spec: FilterSpec<F>, params: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(understood(spec, params));
  const filter = readFilter(spec, params);
  for (const name of Object.keys(spec.defaults)) if (next.get(name) !== filter[name]) next.delete(name);
  if (next.get('p') !== String(readPage(next))) next.delete('p');
  if (readSize(next) === undefined) next.delete('page_size');
  return next;
}

/** Names of the parameters that an address loses because they are invalid. */
export function invalidNames<F extends Filter>(spec: FilterSpec<F>, params: URLSearchParams): string[] {
  const valid = withoutInvalid(spec, params);
  return [...new Set(understood(spec, params).keys())].filter((name) => !valid.has(name));
}

/** Keeps other parameters (open drawers, tabs); filters at their defaults are left out, unless the rest would then mean something else. */
export function writeFilter<F extends Filter>(
  spec: FilterSpec<F>,
  filter: F,
  params: URLSearchParams,
): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [name, value] of Object.entries(filter)) {
    if (value === spec.defaults[name]) next.delete(name);
    else next.set(name, value);
  }
  const read = readFilter(spec, next);
  for (const [name, value] of Object.entries(filter)) if (read[name] !== value) next.set(name, value);
  next.delete('p');
  return next;
}

const withPage = (params: URLSearchParams, page: number): URLSearchParams => {
  const next = new URLSearchParams(params);
  if (page > 1) next.set('p', String(page));
  else next.delete('p');
  return next;
};

/** Filters and page are in the URL; the page size is a stored preference of the user, unless the URL names another one. */
export function useListState<F extends Filter>(table: string, spec: FilterSpec<F>): ListState<F> {
  const [params, setParams] = useSearchParams();
  const { state } = useLocation();
  const dispatch = useAppDispatch();
  const sizes = useAppSelector(selectPageSizes);
  const size = readSize(params) ?? sizes[table] ?? sizes.default ?? DEFAULT_SIZE;
  const page = readPage(params);
  const query = params.toString();
  // A second change may follow before the page is rendered with the first one; it is applied on top of the first.
  const pending = useRef<Record<'from' | 'to', URLSearchParams>>(undefined);
  const change = (toNext: (now: URLSearchParams) => URLSearchParams, options?: NavigateOptions): void => {
    const to = toNext(pending.current?.from === params ? pending.current.to : params);
    pending.current = { from: params, to };
    setParams(to, options);
  };
  const filter = useMemo(() => readFilter(spec, new URLSearchParams(query)), [spec, query]);
  const valid = useMemo(() => withoutInvalid(spec, new URLSearchParams(query)).toString(), [spec, query]);
  const drop = useRef<() => void>(undefined);
  drop.current = () => {
    const names = invalidNames(spec, params).join(', ');
    if (names) dispatch(toastShown({ severity: 'info', key: 'table.ignored', params: { names } }));
    change((now) => withoutInvalid(spec, now), { replace: true, state });
  };
  // Until the server has told the role, filters of administrators may look invalid.
  const isConfirmed = useAppSelector(selectConfirmed);
  useEffect(() => {
    if (isConfirmed && valid !== query) drop.current?.();
  }, [isConfirmed, valid, query]);
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
      const toNext = (now: URLSearchParams): URLSearchParams => {
        const to = withPage(now, Math.floor(firstRow / next) + 1);
        to.delete('page_size');
        return to;
      };
      change(toNext, { replace: true });
    },
  };
}
