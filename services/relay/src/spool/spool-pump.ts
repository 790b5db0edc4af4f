import { Injectable } from '@nestjs/common';
import { listBooked, requestConsumed } from '@tollgate/contracts';
import { Clock, EventLog, InternalClient, Lifecycle, Logger, Metrics, periodically } from '@tollgate/platform';
import { type Pending, Spool } from './spool.js';

const BATCH = 500;
const RETRY_MS = 500;
const CONFIRM_MS = 1000;
const CONFIRM_BATCH = 5000;
/** A record the journal still lacks so long after it was sent is sent again. */
const RESEND_MS = 60_000;

interface Sent extends Pending {
  sentAt: number;
}

/** Carries closed records to the event log in order, and lets the spool forget those that the journal has. */
@Injectable()
export class SpoolPump {
  private readonly sent = new Map<string, Sent>();
  private readonly counter: { inc(by: number): void };
  private readonly confirmSoon: () => void;

  constructor(
    private readonly spool: Spool,
    private readonly eventLog: EventLog,
    private readonly internal: InternalClient,
    private readonly clock: Clock,
    logger: Logger,
    lifecycle: Lifecycle,
    metrics: Metrics,
  ) {
    this.counter = metrics.counter('tollgate_relay_records_sent_total', 'Records handed to the event log.');
    lifecycle.onReady(() => spool.open());
    lifecycle.onDrain(() => spool.shut());
    lifecycle.onDrain(() => this.empty());
    const send = periodically({ lifecycle, logger }, 'spool pump', RETRY_MS, () => this.send());
    this.confirmSoon = periodically({ lifecycle, logger }, 'spool confirmation', CONFIRM_MS, () => this.confirm());
    spool.whenClosed(send);
  }

  private async send(): Promise<void> {
    while (this.spool.unsent.length > 0) {
      const batch = this.spool.unsent.slice(0, BATCH);
      await this.eventLog.append(
        requestConsumed.name,
        batch.map(({ event }) => ({ key: event.subject, value: JSON.stringify(event) })),
      );
      this.spool.unsent.splice(0, batch.length);
      const sentAt = this.clock.monotonic();
      for (const pending of batch) this.sent.set(pending.event.id, { ...pending, sentAt });
      this.counter.inc(batch.length);
    }
  }

  private async confirm(): Promise<void> {
    const ids = [...this.sent.keys()].slice(0, CONFIRM_BATCH);
    if (ids.length === 0) return;
    const { booked } = await this.internal.call(listBooked, { ids });
    this.spool.booked(booked);
    for (const id of booked) this.sent.delete(id);
    const now = this.clock.monotonic();
    for (const [id, pending] of this.sent) {
      if (now - pending.sentAt < RESEND_MS) break;
      this.sent.delete(id);
      this.spool.unsent.push(pending);
    }
    if (booked.length === CONFIRM_BATCH) this.confirmSoon();
  }

  /** A clean stop leaves nothing behind that is not at least in the log. */
  private async empty(): Promise<void> {
    await this.send();
    await this.confirm();
  }
}
