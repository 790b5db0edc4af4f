import type { Log } from '@tollgate/contracts/api/log';
import type { TFunction } from 'i18next';
import { isApiError } from '../../api/api-error.js';
import { runJob, stepCall } from '../../app/run-job.js';
import { toastShown } from '../../app/slices/toasts.js';
import type { AppThunk } from '../../app/store.js';
import { downloadCsv } from '../../components/basics/csv.js';
import type { LogQuery } from '../../api/log.api.js';
import { logApi } from '../../api/log.api.js';
import { logCsv } from './log-csv.js';
import { MOST_EXPORTED } from './log-filter.js';

const SIZE = 100;

interface Asked {
  all: boolean;
  query: LogQuery;
}

interface Printed {
  perUnit: number;
  t: TFunction<'log'>;
}

/** Rows of the present query, a page at a time. Those that arrive meanwhile are later than its end, so that pages hold still. */
class Pages {
  readonly rows = new Map<number, Log>();
  private readonly query: LogQuery;

  constructor(
    private readonly asked: Asked,
    now: number,
  ) {
    const end = asked.query.end_timestamp;
    this.query = { ...asked.query, end_timestamp: end > 0 ? Math.min(end, now) : now };
  }

  /** Answers the number of all matches. */
  load =
    (page: number): AppThunk<Promise<number>> =>
    async (dispatch) => {
      const request = { all: this.asked.all, page, size: SIZE, query: this.query };
      const list = logApi.endpoints.listLogs.initiate(request, { forceRefetch: true, subscribe: false });
      const { items, total = 0 } = await dispatch(list).unwrap();
      for (const row of items) this.rows.set(row.id, row);
      return total;
    };
}

const day = (seconds: number): string => new Date(seconds * 1000).toLocaleDateString('sv-SE');

function nameOf(rows: Log[]): string {
  const times = rows.map(({ created_at: at }) => at);
  return `usage-log_${day(Math.min(...times))}_${day(Math.max(...times))}.csv`;
}

/** Everything the filters match, not only the page in view, newest first and up to a bound. */
const collect =
  (asked: Asked, { perUnit, t }: Printed): AppThunk<Promise<void>> =>
  async (dispatch) => {
    const pages = new Pages(asked, Math.floor(Date.now() / 1000));
    const total = await dispatch(pages.load(1));
    if (total === 0) {
      dispatch(toastShown({ severity: 'info', key: 'log:export.nothing' }));
      return;
    }
    const wanted = Math.min(total, MOST_EXPORTED);
    const steps = Array.from({ length: Math.ceil(wanted / SIZE) }, (_, index) => ({
      name: t('export.page', { start: index * SIZE + 1, end: Math.min((index + 1) * SIZE, wanted) }),
      run: async () => {
        if (index > 0) await dispatch(pages.load(index + 1));
        return t('export.loaded');
      },
    }));
    const results = await dispatch(
      runJob({ titleKey: 'log:export.title', calls: steps.map(stepCall), stopOnFailure: true }),
    );
    // A file that lacks a page would look like a whole one.
    if (results.length < steps.length || results.some(({ ok }) => !ok)) return;
    const rows = [...pages.rows.values()].slice(0, MOST_EXPORTED);
    downloadCsv(nameOf(rows), logCsv(rows, perUnit, asked.all));
    const [severity, key] = total > MOST_EXPORTED ? (['warning', 'cut'] as const) : (['success', 'done'] as const);
    dispatch(toastShown({ severity, key: `log:export.${key}`, params: { count: rows.length, total } }));
  };

export const exportLogs =
  (asked: Asked, printed: Printed): AppThunk<Promise<void>> =>
  async (dispatch) => {
    await dispatch(collect(asked, printed)).catch((error: unknown) => {
      if (!isApiError(error)) throw error;
      dispatch(toastShown({ severity: 'error', error }));
    });
  };
