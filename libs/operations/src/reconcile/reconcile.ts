import { setTimeout as pause } from 'node:timers/promises';
import { requestConsumed } from '@tollgate/contracts';
import type { Period } from '@tollgate/chassis';
import { connectPatiently } from '@tollgate/database';
import { compareAgain, type ComparisonOptions, compareOnce } from './comparison.js';
import type { BookFault, ReconcileReport } from './report.js';
import { hasTableLog, lateOnTable, type LateReader } from './topic-reader.js';

export interface ReconcileOptions extends ComparisonOptions {
  /** By default everything up to a minute ago. */
  period?: Partial<Period>;
  /** Who has not read all events of a topic, where they are not in the database. */
  lateReaders?: (topic: string) => Promise<LateReader[]>;
  /** How long what is on its way may take to arrive before it counts as missing. */
  patienceMs?: number;
}

/** Requests of the last minute may be under way between the services. */
const FRESH_MS = 60_000;
const PATIENCE_MS = 5_000;

/**
 * Proves that every store tells the same about the requests of a period, and that balances, leases, orders, codes and tasks follow from
 * the journal. Reads only. What does not add up is compared a second time, because an installation that runs is ahead in one place.
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
    notices: [...notices, ...(isBalanced ? [] : await late(options))],
    seconds: (performance.now() - started) / 1000,
  };
}

const keyOf = ({ check, subject }: BookFault): string => `${check} ${subject}`;

/** After a kill some have read on and others have not: until the next start that looks like a fault. */
async function late(options: ReconcileOptions): Promise<string[]> {
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
