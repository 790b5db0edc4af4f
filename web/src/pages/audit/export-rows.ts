import { isApiError } from '../../api/api-error.js';
import type { Rows } from '../../api/paged.js';
import { runJob, stepCall } from '../../app/run-job.js';
import { toastShown } from '../../app/slices/toasts.js';
import type { AppThunk } from '../../app/store.js';
import { downloadCsv } from '../../components/basics/csv.js';

const SIZE = 100;
const MOST_EXPORTED = 10_000;
type Line = (string | number)[];

interface Export<Row> {
  /** Of the file, before the day. */
  name: string;
  head: Line;
  lineOf: (row: Row) => Line;
  idOf: (row: Row) => string;
  load: (page: number, size: number) => AppThunk<Promise<Rows<Row>>>;
  /** What a step of the job is called. */
  say: (what: 'page' | 'loaded', values: { start: number; end: number }) => string;
}

const collect =
  <Row>({ name, head, lineOf, idOf, load, say }: Export<Row>): AppThunk<Promise<void>> =>
  async (dispatch) => {
    const found = new Map<string, Row>();
    // A row that arrives meanwhile shifts pages.
    const take = ({ items }: Rows<Row>) => items.forEach((row) => found.set(idOf(row), row));
    const first = await dispatch(load(1, SIZE));
    take(first);
    const { total = 0 } = first;
    if (total === 0) {
      dispatch(toastShown({ severity: 'info', key: 'audit:export.nothing' }));
      return;
    }
    const wanted = Math.min(total, MOST_EXPORTED);
    const steps = Array.from({ length: Math.ceil(wanted / SIZE) }, (_, index) => {
      const span = { start: index * SIZE + 1, end: Math.min((index + 1) * SIZE, wanted) };
      const run = async () => {
        if (index > 0) take(await dispatch(load(index + 1, SIZE)));
        return say('loaded', span);
      };
      return { name: say('page', span), run };
    });
    const results = await dispatch(
      runJob({ titleKey: 'audit:export.title', calls: steps.map(stepCall), stopOnFailure: true }),
    );
    // A file that lacks a page would look like a whole one.
    if (results.length < steps.length || results.some(({ ok }) => !ok)) return;
    const rows = [...found.values()].slice(0, MOST_EXPORTED);
    downloadCsv(`${name}_${new Date().toLocaleDateString('sv-SE')}.csv`, [head, ...rows.map(lineOf)]);
    const [severity, key] = total > MOST_EXPORTED ? (['warning', 'cut'] as const) : (['success', 'done'] as const);
    dispatch(toastShown({ severity, key: `audit:export.${key}`, params: { count: rows.length, total } }));
  };

/** All rows that the filters match, not only the page in view. */
export const exportRows =
  <Row>(asked: Export<Row>): AppThunk<Promise<void>> =>
  async (dispatch) => {
    await dispatch(collect(asked)).catch((error: unknown) => {
      if (!isApiError(error)) throw error;
      dispatch(toastShown({ severity: 'error', error }));
    });
  };
