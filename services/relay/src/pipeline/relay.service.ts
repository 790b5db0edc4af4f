import { Injectable } from '@nestjs/common';
import type { Attempt } from '@tollgate/contracts';
import { Clock, Host, Lifecycle, Logger } from '@tollgate/chassis';
import { conversationOf } from '../routing/affinity.js';
import { Abandonment } from '../settlement/abandonment.js';
import { Admission, type Granted } from '../admission/admission.js';
import { Attempts, type CallRound } from './attempts.js';
import { giveUpOnIdle } from '../reply/idle-client.js';
import { OpeningPings } from '../reply/opening-pings.js';
import { Preparation } from './preparation.js';
import { Refusal, toRefusal } from '../call/refusal.js';
import type { RelayCall } from '../call/relay-call.js';
import { LAST_RECORDS_MS, Running } from '../call/running.js';
import type { AttemptFailure } from '../retry/attempt-failure.js';
import { refusalAfter } from '../retry/last-refusal.js';
import { type GivenUp, Retries } from '../retry/retries.js';
import { Settlement } from '../settlement/settlement.js';

/** The part of `LAST_RECORDS_MS` during which answers whose clients have left are still read. */
const LAST_READING_MS = 2000;

/** Runs one request: admits it, tries channels until one begins to answer, settles it. */
@Injectable()
export class RelayService {
  private readonly running: Running;

  constructor(
    private readonly admission: Admission,
    private readonly attempts: Attempts,
    private readonly preparation: Preparation,
    private readonly settlement: Settlement,
    private readonly abandonment: Abandonment,
    private readonly pings: OpeningPings,
    private readonly retries: Retries,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly host: Host,
    lifecycle: Lifecycle,
  ) {
    this.running = new Running(clock);
    lifecycle.onDrain(() => this.idle());
  }

  /** Writes the answer to the client itself; throws `Refusal` when nothing was sent yet. */
  run(call: RelayCall): Promise<void> {
    return this.running.during(() => this.admitAndServe(call));
  }

  /** Throws a refusal when no channel can serve the call. */
  async requireChannel(call: RelayCall): Promise<void> {
    await this.admission.candidatesFor(call);
  }

  private async admitAndServe(call: RelayCall): Promise<void> {
    giveUpOnIdle(call.response, this.host.env.TOLLGATE_STREAM_IDLE_SECONDS * 1000);
    let granted: Granted | undefined;
    try {
      granted = await this.admission.admit(call);
      await this.serve(call, granted);
    } catch (error) {
      throw granted ? error : await this.refusalOf(call, error);
    } finally {
      // Whatever path ended the request, the rest of the hold is released.
      granted?.hold.settle(0);
    }
  }

  /**
   * The error for a call that was not admitted. Where the quota does not suffice and no channel of the model could be
   * sent the request anyway, it is the latter reason.
   */
  private async refusalOf(call: RelayCall, error: unknown): Promise<unknown> {
    if (!(error instanceof Refusal && error.isForLackOfQuota)) return error;
    const channels = await this.admission.candidatesFor(call);
    const rejected = channels.flatMap((channel) => {
      const failure = this.preparation.rejection(call, channel);
      return failure ? [{ failure, channel }] : [];
    });
    const [first] = rejected;
    return first && rejected.length === channels.length ? refusalAfter(call, first) : error;
  }

  private async serve(call: RelayCall, granted: Granted): Promise<void> {
    const attempts: Attempt[] = [];
    this.pings.start(call);
    try {
      const { candidates } = granted;
      const round = { call, granted, candidates, conversation: conversationAmong(call, granted), attempts };
      const givenUp = await this.retries.run<CallRound, undefined, AttemptFailure>(this.attempts, round);
      if (givenUp) await this.giveUp(round, givenUp);
    } catch (error) {
      const refusal = toRefusal(error);
      const { message, code, type } = refusal.error;
      const route = { attempts, channelId: attempts.at(-1)?.channelId ?? 0 };
      // A record that was written before the first byte must not be booked for a client that then got nothing.
      await this.settlement.undelivered(call, granted, route, { status: refusal.status, code, type, message });
      if (error instanceof Refusal) error.isLogged = true;
      throw error;
    } finally {
      this.pings.stop(call);
    }
  }

  private async giveUp({ call, granted, attempts }: CallRound, givenUp: GivenUp<AttemptFailure>): Promise<void> {
    if (!givenUp.hasLeft) throw refusalAfter(call, givenUp);
    await this.settlement.undelivered(call, granted, { attempts, channelId: givenUp.channel.id }, undefined);
  }

  /** Waits until running requests are recorded, before the spool is closed. */
  private async idle(): Promise<void> {
    const { running } = this;
    await running.idle(LAST_READING_MS);
    this.abandonment.stopReading();
    await running.idle(LAST_RECORDS_MS - LAST_READING_MS);
    if (running.count > 0) this.logger.warn('requests still run while the relay stops', { running: running.count });
  }

  /**
   * The refusal for an error that was not handled elsewhere. An unexpected error is logged, and the client gets a
   * generic answer.
   */
  unexpected(error: unknown, call: { requestId: string }): Refusal {
    const refusal = toRefusal(error);
    if (refusal.status >= 500 && refusal.error.code === 'internal_error') {
      this.logger.error('relay failed', { error, requestId: call.requestId, at: this.clock.now() });
    }
    return refusal;
  }
}

/**
 * The conversation only matters for choosing between channels or keys, so it is computed only where there are several.
 */
const conversationAmong = (call: RelayCall, { candidates }: Granted): string | undefined =>
  candidates.length > 1 || (candidates[0]?.keys?.length ?? 0) > 1 ? conversationOf(call) : undefined;
