import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { resolve } from 'node:path';
import { machine } from '../bench/machine.js';

const ROOT = resolve(import.meta.dirname.replace(/\/dist\/tools\/scale$/, '/tools/scale'), '../..');
const RECORD = resolve(ROOT, 'tools/scale/measured.json');

/** Seconds from the start of a service until it is ready. */
export interface StartRow {
  service: string;
  median: number;
  longest: number;
  cpu: number;
}

/** CPU microseconds of a JSON request with this many relays. */
export interface RelaysRow {
  relays: number;
  perSecond: number;
  own: number;
  rest: number;
}

interface Taken<Row> {
  day: string;
  machine: string;
  loadBefore: number;
  loadAfter: number;
  rows: Row[];
}

export interface Measured {
  start?: Taken<StartRow>;
  relays?: Taken<RelaysRow>;
}

/** The latest measurement of each part. */
export const measured = (): Measured => JSON.parse(readFileSync(RECORD, 'utf8')) as Measured;

export const loadNow = (): number => loadavg()[0] ?? 0;
const tenths = (value: number): number => Math.round(value * 10) / 10;

/** Stores figures with machine and day in measured.json, from which `npm run docs` writes docs/scale.md. */
export function note<Part extends keyof Measured>(
  part: Part,
  rows: NonNullable<Measured[Part]>['rows'],
  loadBefore: number,
): void {
  const [day = ''] = new Date().toISOString().split('T');
  const taken = { day, machine: machine(), loadBefore: tenths(loadBefore), loadAfter: tenths(loadNow()), rows };
  writeFileSync(RECORD, `${JSON.stringify({ ...measured(), [part]: taken }, null, 2)}\n`);
}

const head = (cells: readonly string[]): string =>
  `| ${cells.join(' | ')} |\n| --- |${' ---: |'.repeat(cells.length - 1)}\n`;
const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |\n`;
const whole = (value: number): string => Math.round(value).toLocaleString('en').replaceAll(',', ' ');

/** A table with the conditions it was measured under, or a note that nothing was measured yet. */
function section<Row>(taken: Taken<Row> | undefined, how: string, table: (rows: readonly Row[]) => string): string {
  if (!taken) return 'Not measured yet.\n';
  const { day, machine: where, loadBefore, loadAfter, rows } = taken;
  const load = `load average ${loadBefore.toFixed(1)} before, ${loadAfter.toFixed(1)} after`;
  return `${day}; ${where}; ${how}; ${load}.\n\n${table(rows)}`;
}

export const startTable = ({ start }: Measured): string =>
  section(start, 'each service started five times beside an installation that runs and does nothing', (rows) =>
    [
      head(['service', 'until ready, s', 'the longest, s', 'CPU, s']),
      ...rows.map(({ service, median, longest, cpu }) =>
        line([service, ...[median, longest, cpu].map((seconds) => seconds.toFixed(1))]),
      ),
    ].join(''),
  );

export const relaysTable = ({ relays }: Measured): string =>
  section(relays, 'all relays on one core, everything else on the other one', (rows) =>
    [
      head([
        'relays',
        'requests/s',
        'relays, CPU µs a request',
        'everything behind them, CPU µs',
        'relays, against one',
      ]),
      ...rows.map(({ relays: count, perSecond, own, rest }) =>
        line([count, whole(perSecond), whole(own), whole(rest), (own / (rows[0]?.own ?? own)).toFixed(2)]),
      ),
    ].join(''),
  );
