/** Something that does not add up. */
export interface BookFault {
  /** What should hold. */
  check: string;
  store: string;
  /** Request, account, order, code, hour: whatever the fault is about. */
  subject: string;
  expected: string;
  found: string;
  /** The command that shows everything about the subject. */
  more: string;
}

/** The same requests, as one store counts them. */
export interface StoreSum {
  store: string;
  requests: number;
  units: number;
}

export interface ReconcileReport {
  /** ISO 8601; requests are of the period by the time of their admission. */
  from: string;
  to: string;
  balanced: boolean;
  sums: StoreSum[];
  /** How much of the upstreams' own numbers was booked, and what was estimated instead. */
  usage: { source: string; requests: number; units: number }[];
  faults: BookFault[];
  /** Of those that are not listed: a check lists the first thousand. */
  unlisted: number;
  /** What could not be compared, and what is unusual but harms nobody. */
  notices: string[];
  seconds: number;
}

const SHOWN = 50;

/** The report for a person, shortest first. */
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
