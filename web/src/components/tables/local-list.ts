import { useMemo, useState } from 'react';
import type { Filter, ListState } from './list-state.js';

/** List state outside the URL, for a list inside a drawer or dialog that has its own address; lost when that closes. */
export function useLocalList<F extends Filter>(defaults: F): ListState<F> {
  const [state, setState] = useState({ filter: defaults, page: 1, size: 10 });
  const { filter, page } = state;
  const change = (next: Partial<typeof state>) => setState((now) => ({ ...now, ...next }));
  return {
    ...state,
    request: useMemo(() => ({ page, size: state.size, filter }), [page, state.size, filter]),
    active: Object.keys(defaults).filter((name) => filter[name] !== defaults[name]),
    apply: (part) => setState((now) => ({ ...now, filter: { ...now.filter, ...part }, page: 1 })),
    reset: (name) => setState((now) => ({ ...now, filter: { ...now.filter, [name]: defaults[name] }, page: 1 })),
    clear: () => change({ filter: defaults, page: 1 }),
    setPage: (next) => change({ page: next }),
    setSize: (next) => change({ size: next, page: Math.floor(((page - 1) * state.size) / next) + 1 }),
  };
}
