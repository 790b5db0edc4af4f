import { EntityManager, RequestContext } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { digestRequests } from '@tollgate/contracts';
import {
  bindPeriod,
  Clock,
  InternalClient,
  leastIdAt,
  Lifecycle,
  Logger,
  Metrics,
  periodically,
  requestDigest,
} from '@tollgate/chassis';
import { Leader } from '@tollgate/database';
import type { Gauge } from 'prom-client';
import { billingChecks } from './book-checks.js';

const LOOK_MS = 60_000;
/** A look may take a twentieth of the time: after a long one the next comes later. */
const REST = 20;
/** Requests of the last two minutes may be under way between the services. */
const FRESH_MS = 120_000;
const HOUR_MS = 3_600_000;
/** How far back a first look goes, and how much one look compares at most. */
const FIRST_HOURS = 24;
const HOURS_OF_A_LOOK = 48;
/** What is apart for so many looks is not on its way any more. */
const PATIENT_LOOKS = 5;

export interface BooksState {
  /** Requests admitted before then are the same in journal and usage log; null before the first look. */
  balancedUpTo: Date | null;
  /** Faults inside of billing at the last look. */
  faults: number;
  checkedAt: Date | null;
  first: string | null;
}

/**
 * Reconciles without end, as far as one service can see: everything inside of billing against the journal, and hour by hour journal and
 * usage log by a digest that logging makes of its own rows. `tollgate reconcile` says which rows they are.
 */
@Injectable()
export class BooksWatch {
  private readonly upTo: Gauge;
  private readonly faultsSeen: Gauge;
  private restUntil = 0;
  private apart = 0;

  constructor(
    private readonly em: EntityManager,
    private readonly internal: InternalClient,
    private readonly clock: Clock,
    private readonly logger: Logger,
    leader: Leader,
    lifecycle: Lifecycle,
    metrics: Metrics,
  ) {
    this.upTo = metrics.gauge(
      'tollgate_billing_books_balanced_timestamp_seconds',
      'Unix time up to which journal, balances and usage log were found to tell the same, by the process that looks.',
    );
    this.faultsSeen = metrics.gauge(
      'tollgate_billing_books_faults',
      'What did not add up inside of billing at the last look, by the process that looks.',
    );
    periodically({ lifecycle, logger }, 'watch over the books', LOOK_MS, async () => {
      if (leader.isLeader && clock.monotonic() >= this.restUntil) await RequestContext.create(em, () => this.look());
    });
  }

  async state(): Promise<BooksState> {
    const [row] = await this.em.execute<Record<string, string | number | null>[]>(
      `select "balanced_up_to", "faults", "checked_at", "first" from "books_watch" where "id" = 1`,
    );
    const date = (value: unknown): Date | null =>
      value === null || value === undefined ? null : new Date(String(value));
    return {
      balancedUpTo: date(row?.['balanced_up_to']),
      faults: Number(row?.['faults'] ?? 0),
      checkedAt: date(row?.['checked_at']),
      first: row?.['first'] === null || row?.['first'] === undefined ? null : String(row['first']),
    };
  }

  /** One look at everything; moves the mark as far as all of it holds. */
  async look(): Promise<BooksState> {
    const started = this.clock.monotonic();
    const { balancedUpTo } = await this.state();
    const now = this.clock.now() - FRESH_MS;
    const { faults, first } = await this.ownFaults();
    const from = balancedUpTo?.getTime() ?? now - FIRST_HOURS * HOUR_MS;
    const reached = faults === 0 ? await this.compare(Math.min(from, now), now) : from;
    const state = { balancedUpTo: new Date(reached), faults, checkedAt: new Date(this.clock.now()), first };
    await this.em.execute(
      `insert into "books_watch" ("id", "balanced_up_to", "faults", "checked_at", "first") values (1, ?, ?, ?, ?)
       on conflict ("id") do update set "balanced_up_to" = excluded."balanced_up_to", "faults" = excluded."faults",
         "checked_at" = excluded."checked_at", "first" = excluded."first"`,
      [state.balancedUpTo.toISOString(), faults, state.checkedAt.toISOString(), first],
      'run',
    );
    this.upTo.set(reached / 1000);
    this.faultsSeen.set(faults);
    if (faults > 0) this.logger.error('the books do not balance; run tollgate reconcile', { faults, first });
    this.restUntil = this.clock.monotonic() + (this.clock.monotonic() - started) * REST;
    return state;
  }

  private async ownFaults(): Promise<{ faults: number; first: string | null }> {
    let faults = 0;
    let first: string | null = null;
    const period = { from: 0, to: this.clock.now() + HOUR_MS };
    for (const { name, query } of billingChecks) {
      const rows = await this.em.execute<{ subject: string; found: string; total: string }[]>(
        `select f."subject", f."found", count(*) over () as "total" from (${bindPeriod(query, period)}) f limit 1`,
      );
      const [row] = rows;
      if (!row) continue;
      faults += Number(row.total);
      first ??= `${name}: ${row.subject}, ${row.found}`;
    }
    return { faults, first };
  }

  /** Hour by hour, up to the first one in which the two differ. */
  private async compare(from: number, to: number): Promise<number> {
    let reached = from;
    for (let hour = 0; hour < HOURS_OF_A_LOOK && reached < to; hour += 1) {
      const next = Math.min(to, (Math.floor(reached / HOUR_MS) + 1) * HOUR_MS);
      if (!(await this.isSame(reached, next))) {
        this.apart += 1;
        if (this.apart === PATIENT_LOOKS)
          this.logger.error('journal and usage log differ; run tollgate reconcile', {
            from: new Date(reached).toISOString(),
            to: new Date(next).toISOString(),
          });
        return reached;
      }
      this.apart = 0;
      reached = next;
    }
    return reached;
  }

  private async isSame(from: number, to: number): Promise<boolean> {
    const bounds = { fromId: leastIdAt(from), toId: leastIdAt(to) };
    const theirs = await this.internal.call(digestRequests, bounds);
    if (!theirs.isComparable) return true;
    const ours = requestDigest('"id"', '"amount"', `"posting" where "code" = 'consumption'`);
    const [row] = await this.em.execute<{ requests: string; units: string; digest: string }[]>(ours, [
      bounds.fromId,
      bounds.toId,
    ]);
    return row?.requests === theirs.requests && row.units === theirs.units && row.digest === theirs.digest;
  }
}
