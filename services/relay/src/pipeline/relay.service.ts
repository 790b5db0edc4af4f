import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Attempt, RoutedChannel } from '@tollgate/contracts';
import { Clock, Host, Lifecycle, Logger, OptionStore } from '@tollgate/chassis';
import { conversationOf } from '../routing/affinity.js';
import { AffinityRecord } from '../routing/affinity-record.js';
import { KeyChoice, type KeyedChannel, MORE_ELSEWHERE, MORE_KEYS, placeOf } from '../routing/key-choice.js';
import { chooseChannel } from '../routing/choose-channel.js';
import { Abandonment } from '../settlement/abandonment.js';
import { Admission, type Granted } from '../admission/admission.js';
import type { AttemptFailure } from '../retry/attempt-failure.js';
import { Attempts } from './attempts.js';
import { giveUpOnIdle } from '../reply/idle-client.js';
import { OpeningPings } from '../reply/opening-pings.js';
import { Preparation } from './preparation.js';
import { Refusal, toRefusal } from '../call/refusal.js';
import type { RelayCall } from '../call/relay-call.js';
import { refusalAfter } from '../retry/last-refusal.js';
import { isMadeElsewhere, mayRetry } from '../retry/retry-policy.js';
import { Settlement } from '../settlement/settlement.js';

/** Codes of refusals for lack of quota. */
const QUOTA_CODES = new Set(['insufficient_user_quota', 'pre_consume_token_quota_failed']);
/** How long a stop waits for running requests to be recorded, in milliseconds. */
const LAST_RECORDS_MS = 5000;
/** The part of `LAST_RECORDS_MS` during which answers whose clients have left are still read. */
const LAST_READING_MS = 2000;

/** Runs one request: admits it, tries channels until one begins to answer, settles it. */
@Injectable()
export class RelayService {
  private running = 0;

  constructor(
    private readonly admission: Admission,
    private readonly attempts: Attempts,
    private readonly preparation: Preparation,
    private readonly settlement: Settlement,
    private readonly abandonment: Abandonment,
    private readonly pings: OpeningPings,
    private readonly affinity: AffinityRecord,
    private readonly keys: KeyChoice,
    private readonly options: OptionStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly host: Host,
    lifecycle: Lifecycle,
  ) {
    lifecycle.onDrain(() => this.idle());
  }

  /** Writes the answer to the client itself; throws `Refusal` when nothing was sent yet. */
  async run(call: RelayCall): Promise<void> {
    this.running += 1;
    giveUpOnIdle(call.response, this.host.env.TOLLGATE_STREAM_IDLE_SECONDS * 1000);
    try {
      const granted = await this.admitted(call);
      try {
        await this.serve(call, granted);
      } finally {
        // Whatever path ended the request, the rest of the hold is released.
        granted.hold.settle(0);
      }
    } finally {
      this.running -= 1;
    }
  }

  /**
   * Admits the call. Where the quota does not suffice and no channel of the model could be sent the request anyway, the
   * call is refused for the latter reason.
   */
  private async admitted(call: RelayCall): Promise<Granted> {
    try {
      return await this.admission.admit(call);
    } catch (error) {
      if (!(error instanceof Refusal && QUOTA_CODES.has(error.error.code))) throw error;
      const channels = await this.admission.candidatesFor(call);
      const rejected = channels.flatMap((channel) => {
        const failure = this.preparation.rejection(call, channel);
        return failure ? [{ failure, channel }] : [];
      });
      const [first] = rejected;
      throw first && rejected.length === channels.length ? refusalAfter(call, first) : error;
    }
  }

  private async serve(call: RelayCall, granted: Granted): Promise<void> {
    const attempts: Attempt[] = [];
    this.pings.start(call);
    try {
      await this.tryChannels(call, granted, attempts);
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

  private async tryChannels(call: RelayCall, granted: Granted, attempts: Attempt[]): Promise<void> {
    const conversation = conversationAmong(call, granted);
    const spare = { keys: MORE_KEYS, elsewhere: MORE_ELSEWHERE };
    const round: Round = { call, granted, attempts, conversation, tried: new Set(), places: new Set(), spare };
    let allowed = call.channelId === undefined ? this.options.get('RetryTimes') + 1 : 1;
    let last: Failed | undefined;
    while (attempts.length < allowed) {
      const next = await this.tryNext(round);
      if (!next) break;
      const { channel, failure } = next;
      if (!failure) return this.affinity.note(conversation, placeOf(channel));
      attempts.push(failure.attempt);
      last = { failure, channel };
      if (failure.aborted || call.response.destroyed)
        return this.settlement.undelivered(call, granted, { attempts, channelId: channel.id }, undefined);
      const more = this.goOn(round, next, last);
      if (more === undefined) break;
      allowed += more;
    }
    const decisive = last ?? unsupportedIn(round);
    if (decisive) throw refusalAfter(call, decisive);
  }

  /**
   * How many attempts beyond those of `RetryTimes` a failure allows; `undefined` when no other key or channel may be
   * tried.
   */
  private goOn(
    { call, tried, places, spare }: Round,
    { chosen }: Turn,
    { failure, channel }: Failed,
  ): number | undefined {
    if (spare.elsewhere > 0 && isMadeElsewhere(call.json, failure.attempt)) {
      spare.elsewhere -= 1;
      if (!this.keys.hasOther(chosen, places)) tried.add(chosen.id);
      return 1;
    }
    if (!mayGoOn(call, { failure, channel })) return undefined;
    const hasOther = this.keys.failed(chosen, placeOf(channel), failure.attempt.class, places);
    if (hasOther && spare.keys > 0) {
      spare.keys -= 1;
      return 1;
    }
    tried.add(chosen.id);
    return 0;
  }

  /**
   * Tries the next channel. Channels whose dialect cannot express the request are skipped; nothing was sent to them, so
   * they do not count as attempts.
   */
  private async tryNext(round: Round): Promise<Turn | undefined> {
    const { call, granted, attempts, conversation, tried, places } = round;
    for (;;) {
      const chosen = chooseChannel(granted.candidates, tried, Math.random, conversation);
      if (!chosen) return undefined;
      const channel = this.keys.pick(chosen, places, conversation);
      places.add(placeOf(channel));
      const failure = await this.attempts.run(call, granted, channel, attempts);
      if (!failure?.isUnsupported) return { chosen, channel, failure };
      round.unsupported ??= { failure, channel };
      // Channels of the same type and mapping would reject it too, after the same work.
      for (const other of granted.candidates) if (isAlike(other, chosen)) tried.add(other.id);
      if (!canBeSentAgain(call) || call.response.destroyed) return undefined;
    }
  }

  /** Waits until running requests are recorded, before the spool is closed. */
  private async idle(): Promise<void> {
    const began = this.clock.monotonic();
    await this.nobodyRuns(began + LAST_READING_MS);
    this.abandonment.stopReading();
    await this.nobodyRuns(began + LAST_RECORDS_MS);
    if (this.running > 0) this.logger.warn('requests still run while the relay stops', { running: this.running });
  }

  private async nobodyRuns(deadline: number): Promise<void> {
    while (this.running > 0 && this.clock.monotonic() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
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

interface Failed {
  failure: AttemptFailure;
  channel: RoutedChannel;
}

/** The attempt at one channel. Without a failure the client was answered, or the end is recorded. */
interface Turn {
  chosen: RoutedChannel;
  channel: KeyedChannel;
  failure: AttemptFailure | undefined;
}

/** The state that all attempts of one request share. */
interface Round {
  call: RelayCall;
  granted: Granted;
  attempts: Attempt[];
  conversation: string | undefined;
  tried: Set<number>;
  /** The channels' keys that were tried, as `placeOf` names them. */
  places: Set<string>;
  /**
   * Attempts left that do not count against `RetryTimes`: with other keys of a channel (`keys`), and to find the
   * channel that made the answer which the request continues (`elsewhere`).
   */
  spare: { keys: number; elsewhere: number };
  /** The first channel that could not express the request. */
  unsupported?: Failed;
}

/** Where no channel could express the request, the usage log names the first one that was checked. */
function unsupportedIn({ unsupported, attempts }: Round): Failed | undefined {
  if (unsupported) attempts.push(unsupported.failure.attempt);
  return unsupported;
}

/** Whether two channels reject the same requests: both have the same type and map models alike. */
const isAlike = (one: RoutedChannel, other: RoutedChannel): boolean =>
  one.type === other.type && isDeepStrictEqual(one.modelMapping, other.modelMapping);

/** A form that was forwarded while it was received, without being kept, cannot be sent to another channel. */
const canBeSentAgain = ({ form }: RelayCall): boolean => form?.isReplayable !== false;

/** Whether another key or channel may be tried. */
const mayGoOn = (call: RelayCall, { failure, channel }: Failed): boolean =>
  failure.localStatus === undefined && mayRetry(failure.attempt.status, channel.type) && canBeSentAgain(call);
