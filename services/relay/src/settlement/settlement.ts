import { Injectable } from '@nestjs/common';
import type { EventEnvelope, RequestConsumed } from '@tollgate/contracts';
import { completionTokensOf, promptTokensOf } from '@tollgate/contracts';
import { Clock, Metrics, isTracing, noteOnSpan } from '@tollgate/chassis';
import { rate } from '@tollgate/pricing';
import { v7 as uuidv7 } from 'uuid';
import { inProgress } from '../call/refusal.js';
import type { OpenRecord } from '../spool/recovery.js';
import { Spool } from '../spool/spool.js';
import type { Counted } from './counted.js';
import type { Granted } from '../admission/admission.js';
import { consumptionEvent, type RouteTaken, type Ending, noUsage } from '../call/outcome.js';
import type { BilledCall } from '../call/relay-call.js';

/** The price of a call, and its hold. */
export type Charged = Pick<Granted, 'hold' | 'terms'>;

const ALLOWED = Promise.resolve(true);

/**
 * Writes the one record of a request, to disk before the client sees the end of its answer, and settles the hold by it.
 */
@Injectable()
export class Settlement {
  private readonly outcomes: ReturnType<typeof Metrics.prototype.tally<'endpoint' | 'outcome'>>;
  private readonly firstTokens: ReturnType<typeof Metrics.prototype.durations<'endpoint'>>;
  /** Calls that may record under their own id (see `mayRecord`). */
  private readonly owners = new WeakSet<BilledCall>();
  private readonly tokens: ReturnType<typeof Metrics.prototype.tally<'group' | 'gen_ai_token_type'>>;
  private readonly charged: ReturnType<typeof Metrics.prototype.tally<'group'>>;
  private readonly ended = new WeakSet<BilledCall>();
  /** Calls whose final record was handed to the spool, which keeps records in the order in which it gets them. */
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

  /**
   * Writes the first record, before the first byte to the client. Nothing is written once the final record was handed
   * to the spool, since a later `open` would never be closed.
   */
  async open(call: BilledCall, granted: Charged, route: RouteTaken, counted: Counted): Promise<void> {
    if (!this.isOwn(call)) await this.own(call);
    if (this.ending.has(call)) return;
    await this.spool.start(this.openRecord(call, granted, route, counted));
  }

  /** Records the state of a running stream; does nothing once its final record exists. */
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

  /** Resolves when the final record is on disk. When it throws, the client must get nothing. */
  async close(
    call: BilledCall,
    granted: Charged,
    route: RouteTaken,
    ending: Omit<Ending, 'durationMs'>,
  ): Promise<void> {
    if (!this.isOwn(call)) await this.own(call);
    const event = this.endOf(call, granted, route, ending);
    this.ending.add(call);
    await this.spool.close(event);
    this.settle(call, granted, event.data);
  }

  /** Closes a call whose client already got something: it is booked even when the disk fails. */
  async closeDelivered(
    call: BilledCall,
    granted: Charged,
    route: RouteTaken,
    ending: Omit<Ending, 'durationMs'>,
  ): Promise<void> {
    if (call.mayRecord && !(await call.mayRecord('charged').catch(() => true)))
      return this.undelivered(call, granted, route, undefined);
    const event = this.endOf(call, granted, route, ending);
    this.ending.add(call);
    await this.spool.closeAnyway(event);
    this.settle(call, granted, event.data);
  }

  /**
   * Records a request that gave the client nothing: it costs nothing and is logged; a client that left is no failure.
   * Does nothing when the request already has its record.
   */
  async undelivered(call: BilledCall, granted: Charged, route: RouteTaken, error: Ending['error']): Promise<void> {
    if (this.ended.has(call)) return;
    const outcome = error ? 'failed' : 'client_abort';
    // A failure must not take the id of a run that may be charged: it would stand for that run and for every later
    // repeat. It is recorded under a new id instead.
    const isOwn = this.isOwn(call) || (!call.isAgain && (await this.mayRecord(call, 'free').catch(() => false)));
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

  /** Whether the call may record under its own id; no other run can take over one without `mayRecord`. */
  private isOwn(call: BilledCall): boolean {
    return (!call.mayRecord && !call.isAgain) || this.owners.has(call);
  }

  private async own(call: BilledCall): Promise<void> {
    if (!(await this.mayRecord(call, 'charged'))) throw inProgress();
    this.owners.add(call);
  }

  /**
   * False when another run has taken the call over, because this one seemed dead: two records under one id must not
   * exist.
   */
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
