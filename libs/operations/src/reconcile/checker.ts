import type { Client } from 'pg';
import { type BookCheck, type BookFinding, judged } from '@tollgate/chassis';
import { bindPeriod, type Period } from '@tollgate/database';
import { aboutCopy } from './outside-log.js';
import type { BookFault } from './report.js';

/** A check, and the schema of its tables unless its query names that itself. */
export interface PlacedCheck extends BookCheck {
  schema?: string;
}

/** The listed faults of a check, and the number of faults beyond the limit of the list. */
export interface Found {
  faults: BookFault[];
  unlisted: number;
}

type Finding = BookFinding & { subject: string };

const LISTED = 1_000;
const FETCHED = 20;

/** Runs checks one after the other on a connection, in its current transaction. */
export class Checker {
  constructor(
    readonly client: Client,
    /** `isCopy` says that the usage log is a temporary table of this connection. */
    private readonly options: { period: Period; reportStep: (step: string) => void; isCopy: boolean },
  ) {}

  async run(check: PlacedCheck): Promise<Found> {
    const { name, store, schema } = check;
    this.options.reportStep(`checking that ${name}`);
    await this.client.query(`set local search_path = ${schema ? `"${schema}"` : 'default'}`);
    const { findings, unlisted } = await this.findings(check);
    await this.client.query('set local search_path = default');
    return { faults: findings.map((finding) => faultOf({ check: name, store, ...finding })), unlisted };
  }

  private async findings({ query, judge }: PlacedCheck): Promise<{ findings: Finding[]; unlisted: number }> {
    if (judge) return { findings: await this.judged(query, judge), unlisted: 0 };
    const rows = await this.rows<Finding & { total: string }>(
      `select f.*, count(*) over () as "total" from (${query}) f limit ${LISTED}`,
    );
    const findings = rows.map(({ subject, expected, found }) => ({ subject, expected, found }));
    return { findings, unlisted: Math.max(0, Number(rows[0]?.total ?? 0) - rows.length) };
  }

  /** Fetches a few rows at a time, because a document of prices takes a hundred kilobytes and more. */
  private async judged(query: string, judge: NonNullable<BookCheck['judge']>): Promise<Finding[]> {
    const found: Finding[] = [];
    await this.rows(`declare "evidence" no scroll cursor for ${query}`);
    for (let more = true; more;) {
      const rows = await this.rows<{ subject: string }>(`fetch ${FETCHED} from "evidence"`);
      found.push(...judged(rows, judge));
      more = rows.length === FETCHED;
    }
    await this.rows('close "evidence"');
    return found;
  }

  /** Runs a query with the placeholders of `BookCheck`. */
  async rows<Row extends object>(query: string): Promise<Row[]> {
    const { isCopy, period } = this.options;
    return (await this.client.query<Row>(bindPeriod(isCopy ? aboutCopy(query) : query, period))).rows;
  }
}

export const faultOf = (fault: Omit<BookFault, 'more'>): BookFault => ({
  ...fault,
  more: `npm run tollgate -- show '${fault.subject}'`,
});

/** Runs checks in parallel, each on the next free connection. The faults are returned in the order of the checks. */
export async function runShared(checkers: readonly Checker[], checks: readonly PlacedCheck[]): Promise<Found> {
  const waiting = [...checks.entries()];
  const found: Found[] = [];
  const work = async (checker: Checker): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) found[next[0]] = await checker.run(next[1]);
  };
  await Promise.all(checkers.map(work));
  return together(found);
}

export const together = (found: readonly Found[]): Found => ({
  faults: found.flatMap(({ faults }) => faults),
  unlisted: found.reduce((sum, { unlisted }) => sum + unlisted, 0),
});
