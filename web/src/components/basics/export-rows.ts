import type { CsvCell } from '@tollgate/contracts/csv';
import { isApiError } from '../../api/api-error.js';
import type { Rows } from '../../api/paged.js';
import { runJob, stepCall } from '../../app/run-job.js';
import { toastShown } from '../../app/slices/toasts.js';
import type { AppThunk } from '../../app/store.js';
import { downloadCsv } from './csv.js';

/** Rows per call. */
const SIZE = 100;
const MOST_EXPORTED = 10_000;

interface Export<Row> {
  /** The dictionary with the messages about the export. */
  texts: 'audit' | 'topup' | 'log';
  /** Upper limit of rows; the newest ones are exported. */
  most?: number;
  load: (page: number, size: number) => AppThunk<Promise<Rows<Row>>>;
  idOf: (row: Row) => string | number;
  /** Header line and rows. */
  linesOf: (rows: Row[]) => CsvCell[][];
  fileOf: (rows: Row[]) => string;
}

const collect =
  <Row>({ texts, most = MOST_EXPORTED, load, idOf, linesOf, fileOf }: Export<Row>): AppThunk<Promise<void>> =>
  async (dispatch) => {
    const byId = new Map<string | number, Row>();
    // Rows are stored by id, because a new row shifts the pages and causes duplicates.
    const add = ({ items }: Rows<Row>) => items.forEach((row) => byId.set(idOf(row), row));
    let last = await dispatch(load(1, SIZE));
    add(last);
    const { total: expected = 0 } = last;
    if (expected === 0) {
      dispatch(toastShown({ severity: 'info', key: `${texts}:export.nothing` }));
      return;
    }
    // An estimate may be too small, so only a page that is not full is the last one.
    const wanted = last.inexact ? most : Math.min(expected, most);
    const steps = Array.from({ length: Math.ceil(wanted / SIZE) }, (_, index) => {
      const span = { start: index * SIZE + 1, end: Math.min((index + 1) * SIZE, wanted) };
      const run = async () => {
        if (index > 0 && last.items.length === SIZE) {
          last = await dispatch(load(index + 1, SIZE));
          add(last);
        }
        return { key: `${texts}:export.loaded` as const };
      };
      return { name: { key: `${texts}:export.page` as const, values: span }, run };
    });
    const results = await dispatch(
      runJob({ titleKey: `${texts}:export.title`, calls: steps.map(stepCall), stopOnFailure: true }),
    );
    // No file if a page is missing, because it would look complete.
    if (results.length < steps.length || results.some(({ ok }) => !ok)) return;
    const rows = [...byId.values()].slice(0, most);
    downloadCsv(fileOf(rows), linesOf(rows));
    const { total = expected, inexact } = last;
    const [severity, key] = total > most ? (['warning', 'cut'] as const) : (['success', 'done'] as const);
    const params = { count: rows.length, total, ...(inexact && { context: inexact }) };
    dispatch(toastShown({ severity, key: `${texts}:export.${key}`, params }));
  };

/** Exports all rows that match the filters, not only the page shown, newest first and up to a limit. */
export const exportRows =
  <Row>(plan: Export<Row>): AppThunk<Promise<void>> =>
  async (dispatch) => {
    await dispatch(collect(plan)).catch((error: unknown) => {
      if (!isApiError(error)) throw error;
      dispatch(toastShown({ severity: 'error', error }));
    });
  };
