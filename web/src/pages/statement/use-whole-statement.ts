import { useCallback, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { StatementFilter, StatementPage } from '../../api/statement.api.js';
import { statementApi } from '../../api/statement.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import type { AppThunk } from '../../app/store.js';
import { useAppDispatch } from '../../app/store.js';

const AT_ONCE = 100;
/** About eighty sheets of paper; longer statements can be exported as a file. */
export const MOST_PRINTED = 2000;
/**
 * How often all pages are loaded to get a consistent statement. It is consistent if the sums did not change between the
 * first and the last page.
 */
const MOST_LOADS = 3;

/** All matching rows up to `MOST_PRINTED`, with the sums of the same load. */
export interface WholeStatement extends StatementPage {
  /** Requests were booked during the load, so the rows may not add up to the sums. */
  moved: boolean;
}

/** Loads the pages one after the other. */
const load =
  (filter: StatementFilter, own: boolean): AppThunk<Promise<WholeStatement>> =>
  async (dispatch) => {
    const items: StatementPage['items'] = [];
    const sums = new Set<string>();
    for (let page = 1; ; page += 1) {
      const request = { page, size: AT_ONCE, filter, own };
      const call = statementApi.endpoints.getStatement.initiate(request, { forceRefetch: true, subscribe: false });
      const reply = await dispatch(call).unwrap();
      items.push(...reply.items);
      sums.add(JSON.stringify([reply.totals, reply.total]));
      const isWhole = reply.items.length === 0 || items.length >= (reply.total ?? 0);
      if (isWhole || items.length >= MOST_PRINTED)
        return { ...reply, items: items.map((row, index) => ({ ...row, row: index })), moved: sums.size > 1 };
    }
  };

const loadOfOneMoment =
  (filter: StatementFilter, own: boolean): AppThunk<Promise<WholeStatement>> =>
  async (dispatch) => {
    let whole = await dispatch(load(filter, own));
    for (let turn = 1; whole.moved && turn < MOST_LOADS; turn += 1) whole = await dispatch(load(filter, own));
    return whole;
  };

const isPrintKey = (event: KeyboardEvent): boolean =>
  event.key.toLowerCase() === 'p' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;

/**
 * Loads and prints all rows of the statement and not only the current page. `print` is also bound to Ctrl+P; `whole` is
 * set while the browser prints.
 */
export function useWholeStatement(filter: StatementFilter, own: boolean) {
  const dispatch = useAppDispatch();
  const [whole, setWhole] = useState<WholeStatement>();
  const [loading, setLoading] = useState(false);
  /** Identifies the running load. A load for a former filter or page is ignored. */
  const current = useRef<object>(undefined);
  useEffect(() => {
    const clear = () => setWhole(undefined);
    window.addEventListener('afterprint', clear);
    return () => window.removeEventListener('afterprint', clear);
  }, []);
  useEffect(
    () => () => {
      current.current = undefined;
      setLoading(false);
    },
    [filter, own],
  );
  const print = useCallback(async () => {
    if (current.current) return;
    const mine = {};
    current.current = mine;
    setLoading(true);
    try {
      const found = await dispatch(loadOfOneMoment(filter, own));
      if (current.current !== mine) return;
      // The browser prints the DOM as it is when `print()` is called, so the rows must be rendered before.
      flushSync(() => setWhole(found));
      window.print();
    } catch (error) {
      if (current.current === mine) dispatch(toastShown({ severity: 'error', error: error as never }));
    } finally {
      if (current.current === mine) {
        current.current = undefined;
        setLoading(false);
      }
    }
  }, [dispatch, filter, own]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isPrintKey(event)) return;
      event.preventDefault();
      void print();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [print]);
  return { whole, loading, print };
}
