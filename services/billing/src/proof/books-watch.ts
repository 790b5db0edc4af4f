import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { digestRequests } from '@tollgate/contracts';
import { Clock, InternalClient, leastIdAt, Lifecycle, Logger, Metrics, periodically } from '@tollgate/chassis';
import { asLeader, Leader, requestDigest } from '@tollgate/database';
import type { Gauge } from 'prom-client';
import { Sealer } from '../seal/sealer.js';
import { BooksWatchRow } from './books-watch.entity.js';
import { CarriedBooks, type BalanceFindings } from './carried-books.js';

const CHECK_MS = 60_000;
/** A look may take this fraction (1/20) of the time: after a long look the next one comes later. */
const REST = 20;
/** The same while the sums catch up with an older journal. */
const REST_BEHIND = 4;
/** Requests of the last two minutes may not have reached all services yet, so they are not compared. */
const FRESH_MS = 120_000;
const HOUR_MS = 3_600_000;
/** How far back the first look goes, and the most that one look compares. */
const FIRST_HOURS = 24;
const HOURS_OF_A_LOOK = 48;
/** A difference that persists for this many looks is no delay any more, and is logged. */
const PATIENT_LOOKS = 5;

export interface BooksState {
  /** Requests admitted before this time agree in journal and usage log; null before the first look. */
  balancedUpTo: Date | null;
  /**
   * Since this time there was no gap. Before it the usage log lacks rows on purpose or was cleared, or no comparison
   * was made.
   */
  comparedFrom: Date | null;
  /** Faults within billing at the last look. */
  faults: number;
  checkedAt: Date | null;
  first: string | null;
}

/** Times in milliseconds. */
interface Comparison {
  from: number;
  balanced: number;
  /** What lies between `balanced` and this time could not be compared. */
  looked: number;
}

/**
 * Reconciles continuously, as far as one service can: the data of billing with the journal, and, hour by hour, the
 * journal with the usage log, by a digest that logging computes of its rows. `tollgate reconcile` names the rows that
 * differ.
 */
@Injectable()
export class BooksWatch {
  private readonly upTo: Gauge;
  private readonly lookedUpTo: Gauge;
  private readonly faultsSeen: Gauge;
  private readonly leftRows: Gauge;
  private restUntil = 0;
  private apart = 0;

  constructor(
    private readonly em: EntityManager,
    private readonly internal: InternalClient,
    private readonly sealer: Sealer,
    private readonly carried: CarriedBooks,
    private readonly clock: Clock,
    private readonly logger: Logger,
    leader: Leader,
    lifecycle: Lifecycle,
    metrics: Metrics,
  ) {
    this.upTo = metrics.led(
      'tollgate_billing_books_balanced_timestamp_seconds',
      'Unix time up to which journal, balances and usage log were compared and tell the same, by the process that looks.',
      leader,
    );
    this.lookedUpTo = metrics.led(
      'tollgate_billing_books_looked_timestamp_seconds',
      'The same, and beyond it as far as the usage log leaves rows out on purpose, so that nothing can be compared.',
      leader,
    );
    this.faultsSeen = metrics.led(
      'tollgate_billing_books_faults',
      'What did not add up inside of billing at the last look, by the process that looks.',
      leader,
    );
    this.leftRows = metrics.led(
      'tollgate_billing_books_left_rows',
      'Postings that the sums of the journal do not have yet, as after an upgrade; by an estimate while old ones get their places in the chains. Balances are compared once it is 0.',
      leader,
    );
    const checkUnlessResting = async (): Promise<void> => {
      if (clock.monotonic() >= this.restUntil) await this.check();
    };
    periodically({ lifecycle, logger }, 'watch over the books', CHECK_MS, asLeader(leader, em, checkUnlessResting));
  }

  async state(): Promise<BooksState> {
    const row = await this.em.fork().findOne(BooksWatchRow, { id: 1 });
    if (!row) return { balancedUpTo: null, comparedFrom: null, faults: 0, checkedAt: null, first: null };
    const { balancedUpTo, comparedFrom, faults, checkedAt, first = null } = row;
    return { balancedUpTo, comparedFrom: comparedFrom ?? balancedUpTo, faults, checkedAt, first };
  }

  /** Compares the sums of billing and of its neighbours once, and advances the marks as far as they agree. */
  async check(): Promise<BooksState> {
    const started = this.clock.monotonic();
    await this.sealer.chainAll();
    const left = await this.carried.catchUp();
    this.leftRows.set(left);
    const own = left === 0 ? await this.carried.check() : undefined;
    if (own) await this.note(own, await this.compareFrom(own.faults === 0));
    else await this.reportLastResult(left);
    const rest = left > 0 ? REST_BEHIND : REST;
    this.restUntil = this.clock.monotonic() + (this.clock.monotonic() - started) * rest;
    return this.state();
  }

  /** Sets the metrics to the last result, which is still valid as of its time. */
  private async reportLastResult(left: number): Promise<void> {
    if (left > 0) this.logger.info('the watch over the books catches up with the journal', { left });
    const row = await this.em.fork().findOne(BooksWatchRow, { id: 1 });
    if (!row) return;
    this.upTo.set(row.balancedUpTo.getTime() / 1000);
    this.lookedUpTo.set(Math.max(row.balancedUpTo.getTime(), row.lookedUpTo?.getTime() ?? 0) / 1000);
    this.faultsSeen.set(row.faults);
  }

  private async note({ faults, first }: BalanceFindings, { from, balanced, looked }: Comparison): Promise<void> {
    const [upTo, since, lookedUpTo, now] = [balanced, from, looked, this.clock.now()].map((time) =>
      new Date(time).toISOString(),
    );
    await this.em.execute(
      `insert into "books_watch" ("id", "balanced_up_to", "compared_from", "looked_up_to", "faults", "checked_at", "first", "recounted_at")
       values (1, ?, ?, ?, ?, ?, ?, ?)
       on conflict ("id") do update set "balanced_up_to" = excluded."balanced_up_to", "compared_from" = excluded."compared_from",
         "looked_up_to" = excluded."looked_up_to", "faults" = excluded."faults", "checked_at" = excluded."checked_at",
         "first" = excluded."first"`,
      [upTo, since, lookedUpTo, faults, now, first, now],
      'run',
    );
    this.upTo.set(balanced / 1000);
    this.lookedUpTo.set(looked / 1000);
    this.faultsSeen.set(faults);
    if (faults > 0) this.logger.error('the books do not balance; run tollgate reconcile', { faults, first });
  }

  /** Continues where the last look ended, unless a fault was found within billing. */
  private async compareFrom(goesOn: boolean): Promise<Comparison> {
    const now = this.clock.now() - FRESH_MS;
    const row = await this.em.fork().findOne(BooksWatchRow, { id: 1 });
    const balanced = row?.balancedUpTo.getTime() ?? now - FIRST_HOURS * HOUR_MS;
    const known = {
      from: row?.comparedFrom?.getTime() ?? balanced,
      balanced,
      looked: Math.max(balanced, row?.lookedUpTo?.getTime() ?? 0),
    };
    return goesOn ? this.compare(known, now) : known;
  }

  /**
   * Compares hour by hour, up to the first hour that differs. Hours that cannot be compared are skipped, once a later
   * hour agrees again.
   */
  private async compare(known: Comparison, to: number): Promise<Comparison> {
    let { from, balanced, looked } = known;
    for (let hour = 0; hour < HOURS_OF_A_LOOK && looked < to; hour += 1) {
      const next = Math.min(to, (Math.floor(looked / HOUR_MS) + 1) * HOUR_MS);
      const verdict = await this.verdictOn(looked, next);
      if (verdict === 'apart') {
        this.noteApart(looked, next);
        break;
      }
      this.apart = 0;
      if (verdict === 'same') {
        if (looked > balanced) from = this.passBy(balanced, looked);
        balanced = next;
      }
      looked = next;
    }
    return { from, balanced, looked };
  }

  private noteApart(from: number, to: number): void {
    this.apart += 1;
    if (this.apart === PATIENT_LOOKS)
      this.logger.error('journal and usage log differ; run tollgate reconcile', {
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
      });
  }

  private passBy(from: number, to: number): number {
    this.logger.warn('the usage log leaves out or has lost rows on purpose: nothing was compared for a time', {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
    });
    return to;
  }

  private async verdictOn(from: number, to: number): Promise<'same' | 'apart' | 'not comparable'> {
    const bounds = { fromId: leastIdAt(from), toId: leastIdAt(to) };
    const theirs = await this.internal.call(digestRequests, bounds);
    if (!theirs.isComparable) return 'not comparable';
    const ours = requestDigest('"id"', '"amount"', `"posting" where "code" = 'consumption'`);
    const [row] = await this.em.execute<{ requests: string; units: string; digest: string }[]>(ours, [
      bounds.fromId,
      bounds.toId,
    ]);
    const isSame = row?.requests === theirs.requests && row.units === theirs.units && row.digest === theirs.digest;
    return isSame ? 'same' : 'apart';
  }
}
