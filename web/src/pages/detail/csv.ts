import { csvTime } from '../../components/basics/csv.js';
import type { Summary } from './buckets.js';

/** One line per bucket and model, in exact quota units. */
export function csvLines({ buckets, series }: Summary): (string | number)[][] {
  const head = ['start', 'end', 'model', 'quota_units', 'calls'];
  const lines = buckets.flatMap(({ start, end }, at) =>
    series
      .filter(({ calls }) => (calls[at] ?? 0) > 0)
      .map(({ model, quota, calls }) => [csvTime(start), csvTime(end), model, quota[at] ?? 0, calls[at] ?? 0]),
  );
  return [head, ...lines];
}
