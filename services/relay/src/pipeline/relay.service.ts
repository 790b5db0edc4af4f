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

/** Codes of refusals because nothing is left to pay with. */
const QUOTA_CODES = new Set(['insufficient_user_quota', 'pre_consume_token_quota_failed']);
/** How long a stop waits for running requests to be recorded. */
const LAST_RECORDS_MS = 5000;
/** The part of it in which answers are still read on whose clients have left. */
const LAST_READING_MS = 2000;

/** The story of one request: admit, try channels until one begins to answer, settle. */
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

  /** Answers the client itself; throws `Refusal` when nothing was sent yet. */
  async run(call: RelayCall): Promise<void> {
    this.running += 1;
    giveUpOnIdle(call.response, this.host.env.TOLLGATE_STREAM_IDLE_SECONDS * 1000);
    try {
      const granted = await this.admitted(call);
      try {
        await this.serve(call, granted);
      } finally {
        // Whatever path ended the request, nothing stays set aside.
        granted.hold.settle(0);
      }
    } finally {
      this.running -= 1;
    }
  }

  /** A request that no channel of the model could be sent is refused for that reason, even where its quota would not have sufficed either. */
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
      // A record from before the first byte must not be booked for a client that then got nothing.
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
    const told = last ?? unsupportedIn(round);
    if (told) throw refusalAfter(call, told);
  }

  /** How many turns are allowed beside those of `RetryTimes` after a failure; undefined: nobody else may be asked. */
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

  /** The next channel's turn. Channels whose dialect cannot express the request are passed over: nothing went out to them, so they are no attempts. */
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
      // Channels alike would refuse it too, after the same work.
      for (const other of granted.candidates) if (isAlike(other, chosen)) tried.add(other.id);
      if (!canBeSentAgain(call) || call.response.destroyed) return undefined;
    }
  }

  /** Lets running requests be recorded before the spool is closed. */
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

  /** The refusal of a failure that nothing else has turned into one; logs it where it is a bug, so that the client has an answer all the same. */
  unexpected(error: unknown, call: { requestId: string }): Refusal {
    const refusal = toRefusal(error);
    if (refusal.status >= 500 && refusal.error.code === 'internal_error') {
      this.logger.error('relay failed', { error, requestId: call.requestId, at: this.clock.now() });
    }
    return refusal;
  }
}

/** The conversation decides between channels and keys only, so it is worked out where there are several. */
const conversationAmong = (call: RelayCall, { candidates }: Granted): string | undefined =>
  candidates.length > 1 || (candidates[0]?.keys?.length ?? 0) > 1 ? conversationOf(call) : undefined;

interface Failed {
  failure: AttemptFailure;
  channel: RoutedChannel;
}

/** One channel's turn; without a failure the client was answered, or the end is recorded. */
interface Turn {
  chosen: RoutedChannel;
  channel: KeyedChannel;
  failure: AttemptFailure | undefined;
}

/** What the turns of one request share. */
interface Round {
  call: RelayCall;
  granted: Granted;
  attempts: Attempt[];
  conversation: string | undefined;
  tried: Set<number>;
  /** Keys of channels that were tried, as `placeOf` names them. */
  places: Set<string>;
  /** Turns left that do not count against `RetryTimes`: with other keys of a channel, and to find who made the answer that a request goes on from. */
  spare: { keys: number; elsewhere: number };
  /** The first channel that could not express the request. */
  unsupported?: Failed;
}

/** Where no channel could express the request, its row in the log names the first that was looked at. */
function unsupportedIn({ unsupported, attempts }: Round): Failed | undefined {
  if (unsupported) attempts.push(unsupported.failure.attempt);
  return unsupported;
}

/** Whether what one channel cannot express, the other cannot either: both speak one dialect and map models alike. */
const isAlike = (one: RoutedChannel, other: RoutedChannel): boolean =>
  one.type === other.type && isDeepStrictEqual(one.modelMapping, other.modelMapping);

/** A form that was passed on as it came, without being kept, cannot go to another channel. */
const canBeSentAgain = ({ form }: RelayCall): boolean => form?.isReplayable !== false;

/** Whether another channel may be asked. */
const mayGoOn = (call: RelayCall, { failure, channel }: Failed): boolean =>
  failure.localStatus === undefined && mayRetry(failure.attempt.status, channel.type) && canBeSentAgain(call);
