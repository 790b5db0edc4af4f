import { setTimeout as pause } from 'node:timers/promises';
import { requestConsumed } from '@tollgate/contracts';
import { connectPatiently, type Period } from '@tollgate/database';
import { compareAgain, type ComparisonOptions, compareOnce } from './comparison.js';
import type { BookFault, ReconcileReport } from './report.js';
import { hasTableLog, lateOnTable, type LateReader } from './topic-reader.js';

export interface ReconcileOptions extends ComparisonOptions {
  /** By default everything up to one minute ago. */
  period?: Partial<Period>;
  /** Consumer groups that have not read all events of a topic; for event logs that are not in the database. */
  lateReaders?: (topic: string) => Promise<LateReader[]>;
  /** Milliseconds to wait for events in transit before they count as missing. */
  patienceMs?: number;
}

/** Requests of the last minute may still be on their way between services. */
const FRESH_MS = 60_000;
const PATIENCE_MS = 5_000;

/**
 * Checks that every store has the same requests in a period, and that balances, leases, orders, codes and tasks follow
 * from the journal. Only reads. Faults are checked a second time, because while an installation runs one store is ahead
 * of another.
 */
export async function reconcile(options: ReconcileOptions): Promise<ReconcileReport> {
  const started = performance.now();
  const period = {
    from: options.period?.from ?? 0,
    to: Math.min(options.period?.to ?? Infinity, options.period?.to === undefined ? Date.now() - FRESH_MS : Date.now()),
  };
  let compared = await compareOnce(options, period);
  if (compared.faults.length > 0) {
    await pause(options.patienceMs ?? PATIENCE_MS);
    const before = new Set(compared.faults.map(keyOf));
    compared = await compareAgain(options, period, compared);
    compared.faults = compared.faults.filter((fault) => before.has(keyOf(fault)));
  }
  const { faults, unlisted, sums, usage, notices } = compared;
  const isBalanced = faults.length === 0;
  return {
    from: new Date(period.from).toISOString(),
    to: new Date(period.to).toISOString(),
    balanced: isBalanced,
    ...{ sums, usage, faults, unlisted: isBalanced ? 0 : unlisted },
    notices: [...notices, ...(isBalanced ? [] : await lateNotices(options))],
    seconds: (performance.now() - started) / 1000,
  };
}

const keyOf = ({ check, subject }: BookFault): string => `${check} ${subject}`;

/**
 * Notices about consumer groups with unread events. After a crash some services have processed more events than others,
 * which looks like a fault until the next start.
 */
async function lateNotices(options: ReconcileOptions): Promise<string[]> {
  const readers =
    options.read === undefined
      ? await lateInTable(options)
      : ((await options.lateReaders?.(requestConsumed.name)) ?? []);
  return readers.map(
    ({ reader, events }) =>
      `${reader} has not read ${events} events yet, and lacks what they tell; it reads them while Tollgate runs.`,
  );
}

async function lateInTable({ url, log }: ReconcileOptions): Promise<LateReader[]> {
  const client = await connectPatiently(url, log);
  try {
    return (await hasTableLog(client)) ? await lateOnTable(client, requestConsumed.name) : [];
  } finally {
    await client.end();
  }
}
