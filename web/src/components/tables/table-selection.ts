import { useCallback, useEffect, useMemo, useRef, useState } from 'react';

export interface Selection<Row> {
  /** A new object after every change. */
  rows: Map<number, Row>;
  pages: number;
  has: (id: number) => boolean;
  /** With `range`, all rows between the last toggled one and this one get the same state. */
  toggle: (id: number, range: boolean) => void;
  togglePage: () => void;
  page: 'none' | 'some' | 'all';
  clear: () => void;
}

/** What a page is told of the selection in its table. */
export type Selected<Row> = Pick<Selection<Row>, 'clear'> & { rows: Row[] };

interface Options<Row> {
  items: Row[];
  rowId: (row: Row) => number;
  page: number;
  /** Rows per page. */
  size: number;
  isFetching: boolean;
  /** Changing the filter ends the selection, so that no action affects rows that are not listed any more. */
  filterKey: string;
}

const pageOf = (place: number, size: number): number => Math.floor(place / size) + 1;

/** The selected rows, kept across pages by id, each with its index in the whole list, because the page size may change. */
export function useSelection<Row>({ items, rowId, page, size, isFetching, filterKey }: Options<Row>): Selection<Row> {
  const [rows, setRows] = useState<Map<number, { row: Row; place: number }>>(new Map());
  const last = useRef<number>(undefined);
  // Read when new items arrive: turning a page or passing a new function is not new data and must not run the effect below.
  const latest = useRef({ rowId, page, size });
  latest.current = { rowId, page, size };
  useEffect(() => setRows((now) => (now.size === 0 ? now : new Map())), [filterKey]);
  // Deselects rows that are missing in a new reply for their page, because they were deleted.
  useEffect(() => {
    if (isFetching) return;
    const { rowId: idOf, page: shown, size: most } = latest.current;
    const fresh = new Set(items.map(idOf));
    setRows((now) => {
      const kept = [...now].filter(([id, { place }]) => pageOf(place, most) !== shown || fresh.has(id));
      return kept.length === now.size ? now : new Map(kept);
    });
  }, [items, isFetching]);

  const ids = items.map(rowId);
  const chosen = ids.filter((id) => rows.has(id)).length;
  const set = (changed: number[], on: boolean): void => {
    const next = new Map(rows);
    for (const id of changed) {
      const index = ids.indexOf(id);
      const row = items[index];
      if (on && row) next.set(id, { row, place: (page - 1) * size + index });
      else next.delete(id);
    }
    setRows(next);
  };
  const chosenRows = useMemo(() => new Map([...rows].map(([id, { row }]) => [id, row])), [rows]);
  const clear = useCallback(() => setRows(new Map()), []);
  return {
    rows: chosenRows,
    pages: new Set([...rows.values()].map(({ place }) => pageOf(place, size))).size,
    has: (id) => rows.has(id),
    toggle: (id, range) => {
      const from = range && last.current !== undefined ? ids.indexOf(last.current) : -1;
      const to = ids.indexOf(id);
      const span = from < 0 ? [id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1);
      set(span, !rows.has(id));
      last.current = id;
    },
    togglePage: () => set(ids, chosen < ids.length),
    page: chosen === 0 ? 'none' : chosen < ids.length ? 'some' : 'all',
    clear,
  };
}
