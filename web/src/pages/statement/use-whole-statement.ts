import { useCallback, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { NumberedRow, StatementFilter } from '../../api/statement.api.js';
import { statementApi } from '../../api/statement.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import type { AppThunk } from '../../app/store.js';
import { useAppDispatch } from '../../app/store.js';

const AT_ONCE = 100;
/** Some eighty sheets of paper; who needs more takes the file. */
export const MOST_PRINTED = 2000;

/** All rows that match, up to a bound, a call after the other. */
const load =
  (filter: StatementFilter, own: boolean): AppThunk<Promise<NumberedRow[]>> =>
  async (dispatch) => {
    const rows: NumberedRow[] = [];
    for (let page = 1; rows.length < MOST_PRINTED; page += 1) {
      const request = { page, size: AT_ONCE, filter, own };
      const call = statementApi.endpoints.getStatement.initiate(request, { forceRefetch: true, subscribe: false });
      const { items, total = 0 } = await dispatch(call).unwrap();
      rows.push(...items);
      if (items.length === 0 || rows.length >= total) break;
    }
    return rows.map((row, index) => ({ ...row, row: index }));
  };

/** `print` brings all rows, not only those of the page in view; `rows` are there while the paper is made. */
export function useWholeStatement(filter: StatementFilter, own: boolean) {
  const dispatch = useAppDispatch();
  const [rows, setRows] = useState<NumberedRow[]>();
  useEffect(() => {
    const clear = () => setRows(undefined);
    window.addEventListener('afterprint', clear);
    return () => window.removeEventListener('afterprint', clear);
  }, []);
  const print = useCallback(async () => {
    try {
      const found = await dispatch(load(filter, own));
      // The browser takes its picture of what is drawn at that moment.
      flushSync(() => setRows(found));
      window.print();
    } catch (error) {
      dispatch(toastShown({ severity: 'error', error: error as never }));
    }
  }, [dispatch, filter, own]);
  return { rows, print };
}
