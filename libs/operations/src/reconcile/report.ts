/** A fault of the books. */
export interface BookFault {
  /** The statement that does not hold. */
  check: string;
  store: string;
  /** What the fault is about: a request, an account, an order, a code, an hour… */
  subject: string;
  expected: string;
  found: string;
  /** The command that shows all rows about the subject. */
  more: string;
}

/** The sums of the period's requests in one store. */
export interface StoreSum {
  store: string;
  requests: number;
  units: number;
}

export interface ReconcileReport {
  /** ISO 8601. A request belongs to the period of its admission. */
  from: string;
  to: string;
  balanced: boolean;
  sums: StoreSum[];
  /** Sums by source of the usage: reported by upstreams, or estimated. */
  usage: { source: string; requests: number; units: number }[];
  faults: BookFault[];
  /** Number of faults that are not listed; a check lists the first thousand. */
  unlisted: number;
  /** What could not be compared, and unusual but harmless observations. */
  notices: string[];
  seconds: number;
}

const SHOWN = 50;

/** The report as text for people. */
export function reportLines(report: ReconcileReport): string[] {
  const { from, to, sums, usage, faults, unlisted, notices, seconds } = report;
  const count = faults.length + unlisted;
  const verdict = count === 0 ? `Books balanced up to ${to}.` : `Books do NOT balance: ${count} exceptions.`;
  return [
    `Requests admitted from ${from} to ${to}:`,
    ...sums.map(({ store, requests, units }) => `  ${store.padEnd(22)} ${requests} requests, ${units} units`),
    ...usage.map(
      ({ source, requests, units }) => `  of them ${source.padEnd(14)} ${requests} requests, ${units} units`,
    ),
    ...notices.map((notice) => `Note: ${notice}`),
    ...faults
      .slice(0, SHOWN)
      .flatMap(({ check, store, subject, expected, found, more }) => [
        `FAULT ${store}: ${subject}`,
        `  ${check}: expected ${expected}; found ${found}`,
        `  more: ${more}`,
      ]),
    ...(count > SHOWN ? [`… and ${count - SHOWN} more; --json lists them.`] : []),
    `${verdict} (${seconds.toFixed(1)} s)`,
  ];
}
