import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { listUnbooked, requestConsumed } from '@tollgate/contracts';
import {
  Clock,
  EventLog,
  InternalClient,
  Lifecycle,
  Logger,
  Metrics,
  periodically,
  RecordsRefused,
} from '@tollgate/chassis';
import { DeadLetters } from './dead-letters.js';
import { SentRecords } from './sent-records.js';
import { type Pending, Spool } from './spool.js';

const BATCH = 500;
/**
 * Records that come within this many milliseconds are appended to the log in one request, since the request is what
 * costs.
 */
const LINGER_MS = 50;
const RETRY_MS = 500;
const CONFIRM_MS = 1000;
const ADOPT_MS = 10_000;
/**
 * How long sending waits for billing's reply about recovered records, in milliseconds; without a reply all of them are
 * sent.
 */
const BOOKED_BEFORE_MS = 1000;
/**
 * How long a clean stop waits for the journal, in milliseconds; records that are not booked by then stay on disk for
 * the next start.
 */
const FAREWELL_MS = 3000;
const FAREWELL_POLL_MS = 100;

/** Sends closed records to the event log in order, and lets the spool delete those that billing has booked. */
@Injectable()
export class SpoolPump {
  private readonly sent = new SentRecords();
  private readonly counter: { inc(by: number): void };
  private readonly confirmSoon: () => void;
  /** False after billing did not reply about recovered records; they are then sent without asking. */
  private mayCheckBooked = true;

  constructor(
    private readonly spool: Spool,
    private readonly eventLog: EventLog,
    private readonly internal: InternalClient,
    private readonly deadLetters: DeadLetters,
    private readonly clock: Clock,
    logger: Logger,
    lifecycle: Lifecycle,
    metrics: Metrics,
  ) {
    this.counter = metrics.counter('tollgate_relay_records_sent_total', 'Records handed to the event log.');
    const age = metrics.gauge(
      'tollgate_relay_spool_oldest_seconds',
      'Age of the oldest closed record that is not booked.',
    );
    lifecycle.onReady(() => spool.open());
    lifecycle.onDrain(() => spool.shut());
    lifecycle.onDrain(() => this.empty());
    const send = periodically({ lifecycle, logger }, 'spool pump', RETRY_MS, () => this.send());
    this.confirmSoon = periodically({ lifecycle, logger }, 'spool confirmation', CONFIRM_MS, async () => {
      age.set(this.oldestSeconds());
      await this.confirm();
    });
    periodically({ lifecycle, logger }, 'look for spools of dead processes', ADOPT_MS, () => spool.adopt());
    spool.whenClosed(send);
  }

  private async send(): Promise<void> {
    while (this.spool.unsent.length > 0) {
      if (this.spool.unsent.length < BATCH) await pause(LINGER_MS);
      const batch = this.spool.unsent.slice(0, BATCH);
      const settled = await this.bookedBefore(batch);
      const fresh = settled.size === 0 ? batch : batch.filter((pending) => !settled.has(pending));
      if (fresh.length > 0) for (const pending of await this.append(fresh)) settled.add(pending);
      const taken = this.spool.sent(batch.length);
      for (const pending of taken) if (!settled.has(pending)) this.sent.add(pending);
      this.counter.inc(taken.length - settled.size);
      if (settled.size > 0) this.spool.booked([...settled]);
    }
  }

  /**
   * The recovered records of the batch that are booked already. A segment is only deleted when all of it is booked, so
   * a dead process leaves many booked records behind, which need not be sent again. Where billing does not reply in
   * time they are sent again; they are still booked only once.
   */
  private async bookedBefore(batch: readonly Pending[]): Promise<Set<Pending>> {
    const recovered = this.spool.recoveredOf(batch);
    if (recovered.length === 0) this.mayCheckBooked = true;
    if (recovered.length === 0 || !this.mayCheckBooked) return new Set();
    const answer = this.internal.call(listUnbooked, { ids: recovered.map(({ id }) => id) }).catch(() => undefined);
    const reply = await Promise.race([answer, pause(BOOKED_BEFORE_MS, undefined, { ref: false })]);
    this.mayCheckBooked = reply !== undefined;
    const lacking = new Set(reply?.unbooked);
    return new Set(reply && recovered.filter(({ id }) => !lacking.has(id)));
  }

  /**
   * Appends the batch to the event log. Returns the records that the log refused for good; they are kept as dead
   * letters and count as settled.
   */
  private async append(batch: readonly Pending[]): Promise<Set<Pending>> {
    const payloads = await this.spool.payloadsOf(batch);
    const refused = new Set<Pending>();
    try {
      await this.eventLog.append(
        requestConsumed.name,
        batch.map(({ key }, index) => ({ key, value: payloads[index] ?? '' })),
      );
    } catch (error) {
      if (!(error instanceof RecordsRefused)) throw error;
      for (const { index, reason } of error.refusals) {
        const pending = batch[index];
        if (!pending) continue;
        await this.deadLetters.keep(pending.id, payloads[index] ?? '', reason);
        refused.add(pending);
      }
    }
    return refused;
  }

  private async confirm(): Promise<void> {
    const { booked, again, hasMore } = await this.sent.confirm(
      async (ids) => (await this.internal.call(listUnbooked, { ids })).unbooked,
      () => this.clock.monotonic(),
    );
    if (booked.length > 0) this.spool.booked(booked);
    this.spool.unsent.push(...again);
    if (hasMore) this.confirmSoon();
  }

  private oldestSeconds(): number {
    const since = Math.min(this.sent.since, this.spool.unsent[0]?.since ?? Infinity);
    return since === Infinity ? 0 : (this.clock.monotonic() - since) / 1000;
  }

  /** On a clean stop, sends all records to the event log and waits a while until billing has booked them. */
  private async empty(): Promise<void> {
    await this.send();
    const deadline = this.clock.monotonic() + FAREWELL_MS;
    await this.confirm();
    while (this.sent.size > 0 && this.clock.monotonic() < deadline) {
      await pause(FAREWELL_POLL_MS);
      await this.confirm();
    }
  }
}
