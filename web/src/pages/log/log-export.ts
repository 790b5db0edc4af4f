import type { Log } from '@tollgate/contracts/api/log';
import type { AppThunk } from '../../app/store.js';
import { exportRows } from '../../components/basics/export-rows.js';
import type { LogQuery } from '../../api/log.api.js';
import { logApi } from '../../api/log.api.js';
import { logCsv } from './log-csv.js';
import { MOST_EXPORTED } from './log-filter.js';

interface Asked {
  all: boolean;
  query: LogQuery;
  /** The rows that the table shows. */
  shown?: Log[];
}

const day = (seconds: number): string => new Date(seconds * 1000).toLocaleDateString('sv-SE');

function fileOf(rows: Log[]): string {
  const times = rows.map(({ created_at: at }) => at);
  return `usage-log_${day(Math.min(...times))}_${day(Math.max(...times))}.csv`;
}

/**
 * Exports the rows of the current query. A fixed end time excludes rows that arrive during the export, which would
 * shift the pages. It is not before the rows shown, which a server whose clock is ahead may have stamped.
 */
export function exportLogs({ all, query, shown = [] }: Asked, perUnit: number): AppThunk<Promise<void>> {
  const now = shown.reduce((latest, { created_at: at }) => Math.max(latest, at), Math.floor(Date.now() / 1000));
  const { end_timestamp: end } = query;
  const fixed = { ...query, end_timestamp: end > 0 ? Math.min(end, now) : now };
  return exportRows<Log>({
    texts: 'log',
    most: MOST_EXPORTED,
    load: (page, size) => (run) =>
      run(
        logApi.endpoints.listLogs.initiate({ all, page, size, query: fixed }, { forceRefetch: true, subscribe: false }),
      ).unwrap(),
    idOf: ({ id }) => id,
    linesOf: (rows) => logCsv(rows, perUnit, all),
    fileOf,
  });
}
