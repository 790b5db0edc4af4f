/** The outcome of one fault. */
export interface FaultOutcome {
  fault: string;
  requests: number;
  answered: number;
  /** Calls without a complete reply whose client did not leave on purpose. */
  errors: number;
  left: number;
  booked: number;
  doubled: number;
  lost: number;
  /** Milliseconds from the fault to the end of the last failed request. */
  errorsForMs: number;
  /** Milliseconds from the fault until all books agreed again and nothing was left over. */
  settledAfterMs: number;
  faults: string[];
}

const seconds = (ms: number): string => (Number.isFinite(ms) ? (ms / 1000).toFixed(1) : '-');

const COLUMNS: readonly (readonly [string, (outcome: FaultOutcome) => string | number])[] = [
  ['fault', ({ fault }) => fault],
  ['requests', ({ requests }) => requests],
  ['answered', ({ answered }) => answered],
  ['left', ({ left }) => left],
  ['errors', ({ errors }) => errors],
  ['booked', ({ booked }) => booked],
  ['doubled', ({ doubled }) => doubled],
  ['lost', ({ lost }) => lost],
  ['errors for (s)', ({ errorsForMs }) => seconds(errorsForMs)],
  ['settled after (s)', ({ settledAfterMs }) => seconds(settledAfterMs)],
  ['verdict', ({ faults }) => (faults.length === 0 ? 'ok' : 'RED')],
];

/** One row per fault, as a text table. */
export function faultTable(outcomes: readonly FaultOutcome[]): string {
  const lines = [
    COLUMNS.map(([title]) => title),
    ...outcomes.map((one) => COLUMNS.map(([, cell]) => String(cell(one)))),
  ];
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const padded = (cell: string, column: number): string =>
    column === 0 || column === COLUMNS.length - 1
      ? cell.padEnd(widths[column] ?? 0)
      : cell.padStart(widths[column] ?? 0);
  return lines.map((line) => `  ${line.map(padded).join('  ')}`.trimEnd()).join('\n');
}
