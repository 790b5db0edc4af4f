import { useCallback, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { StatementFilter, StatementPage } from '../../api/statement.api.js';
import { statementApi } from '../../api/statement.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import type { AppThunk } from '../../app/store.js';
import { useAppDispatch } from '../../app/store.js';

const AT_ONCE = 100;
/** Some eighty sheets of paper; who needs more takes the file. */
export const MOST_PRINTED = 2000;
/** Rows of many pages are of one moment when the sums did not change from the first page to the last. */
const MOST_LOADS = 3;

/** All rows that match, up to a bound, with the sums of the same load. */
export interface WholeStatement extends StatementPage {
  /** Requests were booked while the pages came: the rows may not add up to the sums. */
  moved: boolean;
}

/** A call after the other. */
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

/** `print`, also by the browser's key, brings all rows, not only those of the page in view; `whole` is there while the paper is made. */
export function useWholeStatement(filter: StatementFilter, own: boolean) {
  const dispatch = useAppDispatch();
  const [whole, setWhole] = useState<WholeStatement>();
  const [loading, setLoading] = useState(false);
  /** The load that is under way; another filter or another page has no use for it. */
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
      // The browser takes its picture of what is drawn at that moment.
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
