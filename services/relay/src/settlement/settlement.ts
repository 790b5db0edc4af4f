import { Injectable } from '@nestjs/common';
import type { EventEnvelope, RequestConsumed } from '@tollgate/contracts';
import { completionTokensOf, promptTokensOf } from '@tollgate/contracts';
import { Clock, Metrics, isTracing, noteOnSpan } from '@tollgate/chassis';
import { rate } from '@tollgate/pricing';
import { v7 as uuidv7 } from 'uuid';
import { inProgress } from '../call/refusal.js';
import type { OpenRecord } from '../spool/recovery.js';
import { Spool } from '../spool/spool.js';
import type { Counted } from './usage-counter.js';
import type { Granted } from '../admission/admission.js';
import { consumptionEvent, type RouteTaken, type Ending, noUsage } from '../call/outcome.js';
import type { BilledCall } from '../call/relay-call.js';

/** What a call is charged by, and what is set aside for it. */
export type Charged = Pick<Granted, 'hold' | 'terms'>;

const ALLOWED = Promise.resolve(true);

/** Turns what happened into the one record of the request, on disk before the client sees the end, and settles the hold by it. */
@Injectable()
export class Settlement {
  private readonly outcomes: ReturnType<typeof Metrics.prototype.tally<'endpoint' | 'outcome'>>;
  private readonly firstTokens: ReturnType<typeof Metrics.prototype.durations<'endpoint'>>;
  /** Calls whose id is theirs to record. */
  private readonly owners = new WeakSet<BilledCall>();
  private readonly tokens: ReturnType<typeof Metrics.prototype.tally<'group' | 'gen_ai_token_type'>>;
  private readonly charged: ReturnType<typeof Metrics.prototype.tally<'group'>>;
  private readonly ended = new WeakSet<BilledCall>();
  /** Calls whose end is being written, or is. Records stand in the spool in the order in which they are handed to it. */
  private readonly ending = new WeakSet<BilledCall>();

  constructor(
    private readonly spool: Spool,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.outcomes = metrics.tally('tollgate_relay_requests_total', 'Ended requests by how they ended.', [
      'endpoint',
      'outcome',
    ]);
    this.firstTokens = metrics.durations('tollgate_relay_first_token_seconds', 'Time to the first token of streams.', [
      'endpoint',
    ]);
    this.tokens = metrics.tally('tollgate_relay_tokens_total', 'Tokens of ended requests, by group of users.', [
      'group',
      'gen_ai_token_type',
    ]);
    this.charged = metrics.tally('tollgate_relay_charged_quota_units_total', 'Quota charged, by group of users.', [
      'group',
    ]);
  }

  /** Before the first byte. Nothing of a call that has its end by now: nobody would ever close that record. */
  async open(call: BilledCall, granted: Charged, route: RouteTaken, counted: Counted): Promise<void> {
    await this.own(call);
    if (this.ending.has(call)) return;
    await this.spool.start(this.openRecord(call, granted, route, counted));
  }

  /** What is known of a stream that runs; nothing once it has its record. */
  async progress(
    call: BilledCall,
    granted: Charged,
    route: RouteTaken,
    { firstTokenMs, ...counted }: Counted & { firstTokenMs?: number },
  ): Promise<void> {
    if (this.ended.has(call)) return;
    const quota = rate(counted.usage, granted.terms.price);
    const durationMs = Math.round(this.elapsed(call));
    const first = firstTokenMs === undefined ? {} : { firstTokenMs: Math.round(firstTokenMs) };
    const data = { ...counted, quota, durationMs, ...first };
    await this.spool.progress({ id: call.requestId, data }, () =>
      this.openRecord(call, granted, route, { ...counted, ...first }),
    );
  }

  /** Resolves when the record is on disk, or throws and the client must get nothing. */
  async close(
    call: BilledCall,
    granted: Charged,
    route: RouteTaken,
    ending: Omit<Ending, 'durationMs'>,
  ): Promise<void> {
    await this.own(call);
    const event = this.endOf(call, granted, route, ending);
    this.ending.add(call);
    await this.spool.close(event);
    this.settle(call, granted, event.data);
  }

  /** For a client that has something already: whatever the disk says, the request is booked. */
  async closeDelivered(
    call: BilledCall,
    granted: Charged,
    route: RouteTaken,
    ending: Omit<Ending, 'durationMs'>,
  ): Promise<void> {
    if (!(await this.mayRecord(call, 'charged').catch(() => true)))
      return this.undelivered(call, granted, route, undefined);
    const event = this.endOf(call, granted, route, ending);
    this.ending.add(call);
    await this.spool.closeAnyway(event);
    this.settle(call, granted, event.data);
  }

  /**
   * A request that gave the client nothing costs nothing, and is logged; a client that left is no failure. Changes nothing when
   * the request has its record already.
   */
  async undelivered(call: BilledCall, granted: Charged, route: RouteTaken, error: Ending['error']): Promise<void> {
    if (this.ended.has(call)) return;
    const outcome = error ? 'failed' : 'client_abort';
    // The id is left to the run that is charged: this failure would stand for it, and for every later repeat.
    const isOwn = this.owners.has(call) || (!call.isAgain && (await this.mayRecord(call, 'free').catch(() => false)));
    const event = this.endOf(isOwn ? call : { ...call, requestId: uuidv7() }, granted, route, {
      outcome,
      usage: noUsage,
      usageSource: 'upstream',
      ...(error && { error }),
    });
    this.ending.add(call);
    await this.spool.closeAnyway(event);
    this.settle(call, granted, event.data);
  }

  private async own(call: BilledCall): Promise<void> {
    if (!(await this.mayRecord(call, 'charged'))) throw inProgress();
    this.owners.add(call);
  }

  /** A call that another run has taken over, because nothing was heard of this one, must not have a record under the same id. */
  private mayRecord(call: BilledCall, recorded: 'charged' | 'free'): Promise<boolean> {
    return call.mayRecord?.(recorded) ?? ALLOWED;
  }

  private endOf(
    call: BilledCall,
    granted: Charged,
    route: RouteTaken,
    ending: Omit<Ending, 'durationMs'>,
  ): EventEnvelope & { data: RequestConsumed } {
    return consumptionEvent(call, granted.terms, route, {
      ...ending,
      held: granted.hold.amount,
      durationMs: this.elapsed(call),
    });
  }

  private openRecord(
    call: BilledCall,
    granted: Charged,
    route: RouteTaken,
    counted: Counted & { firstTokenMs?: number },
  ): OpenRecord {
    return { id: call.requestId, event: this.endOf(call, granted, route, { ...counted, outcome: 'interrupted' }) };
  }

  private settle(call: BilledCall, { hold }: Charged, ended: RequestConsumed): void {
    const { endpoint, isStream } = call;
    const { outcome, quota, usage, group, firstTokenMs } = ended;
    const [input, output] = [promptTokensOf(usage), completionTokensOf(usage)];
    this.ended.add(call);
    hold.settle(quota, output);
    this.outcomes.add(1, endpoint, outcome);
    this.tokens.add(input, group, 'input');
    this.tokens.add(output, group, 'output');
    this.charged.add(quota, group);
    if (isStream && firstTokenMs !== undefined) this.firstTokens.add(firstTokenMs / 1000, endpoint);
    if (isTracing())
      noteOnSpan({
        'gen_ai.usage.input_tokens': input,
        'gen_ai.usage.output_tokens': output,
        'tollgate.outcome': outcome,
        'tollgate.quota': quota,
      });
  }

  elapsed(call: BilledCall): number {
    return this.clock.monotonic() - call.startedMono;
  }
}
