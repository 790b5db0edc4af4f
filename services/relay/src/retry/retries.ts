import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Attempt, RoutedChannel } from '@tollgate/contracts';
import { OptionStore } from '@tollgate/chassis';
import type { RelayCall } from '../call/relay-call.js';
import { AffinityRecord } from '../routing/affinity-record.js';
import { ChannelBreakers } from '../routing/channel-breakers.js';
import type { Trial } from '../routing/breaker.js';
import { chooseChannel } from '../routing/choose-channel.js';
import { KeyChoice, type KeyedChannel, placeOf } from '../routing/key-choice.js';
import type { AttemptFailure } from './attempt-failure.js';
import { mayRetry } from './retry-policy.js';

/** How many other keys of its channels a call may try in addition to `RetryTimes`. */
export const MORE_KEYS = 2;
/** How many more attempts a call gets to find the channel or key that made the answer which it continues. */
export const MORE_ELSEWHERE = 15;

/** One call and the channels that may serve it. */
export interface Round {
  readonly call: Pick<RelayCall, 'channelId' | 'form'>;
  readonly candidates: readonly RoutedChannel[];
  /** Set where it matters which channel or key is chosen, see `conversationOf`. */
  readonly conversation?: string | undefined;
  /** The failed attempts, in order. Each is added once, when it has ended. */
  readonly attempts: Attempt[];
}

/** The parts of a failure that decide what follows it. */
export interface RetryFacts extends Pick<
  AttemptFailure,
  'attempt' | 'aborted' | 'localStatus' | 'isUnsupported' | 'isMadeElsewhere' | 'retryAfter'
> {
  /** Whether another channel may be tried, where the status alone does not tell. */
  mayGoOn?: boolean;
}

/** An attempt that was not made, for a reason that rules out all other channels too; the failure before it stands. */
export const NOT_MADE = Symbol('not made');

/** Sends calls of one kind. The same object sends all of them, so it keeps nothing of any. */
export interface Sender<Sent extends Round, Served extends object | undefined, Failure extends RetryFacts> {
  /** Makes one attempt. A failure is recognized by its `attempt`; anything else ends the round. */
  send(round: Sent, channel: KeyedChannel): Promise<Served | Failure | typeof NOT_MADE> | Failure;
  /** Whether the client has left, so that nothing more is tried for it. */
  hasLeft(round: Sent): boolean;
}

/** No channel served the call. The client is told the last failure, unless it has left. */
export class GivenUp<Failure extends RetryFacts> {
  constructor(
    readonly failure: Failure,
    readonly channel: KeyedChannel,
    readonly hasLeft: boolean,
  ) {}
}

const NO_CHANNELS: ReadonlySet<number> = new Set();
const NO_PLACES: ReadonlySet<string> = new Set();

/** What a round remembers of its failed attempts. The sets are replaced, so that a call without failures creates none. */
interface Memory {
  /** Channels that are not chosen again. */
  tried: ReadonlySet<number>;
  /** The channels' keys that were chosen, as `placeOf` names them. */
  places: ReadonlySet<string>;
  /** How many attempts the round may have. */
  allowed: number;
  /** How often `allowed` may still grow, see `MORE_KEYS` and `MORE_ELSEWHERE`. */
  moreKeys: number;
  moreElsewhere: number;
}

/** Tries one channel and key after another until one serves the call. */
@Injectable()
export class Retries {
  constructor(
    private readonly keys: KeyChoice,
    private readonly affinity: AffinityRecord,
    private readonly breakers: ChannelBreakers,
    private readonly options: OptionStore,
  ) {}

  /** Resolves with what served the call, as the sender calls it, or with the failure that the client is told. */
  async run<Sent extends Round, Served extends object | undefined, Failure extends RetryFacts>(
    sender: Sender<Sent, Served, Failure>,
    round: Sent,
  ): Promise<Served | GivenUp<Failure>> {
    const { call, conversation, attempts } = round;
    const memory: Memory = {
      tried: NO_CHANNELS,
      places: NO_PLACES,
      allowed: call.channelId === undefined ? this.options.get('RetryTimes') + 1 : 1,
      moreKeys: MORE_KEYS,
      moreElsewhere: MORE_ELSEWHERE,
    };
    let last: GivenUp<Failure> | undefined;
    let unsupported: GivenUp<Failure> | undefined;
    for (let channel = this.next(round, memory); channel; channel = this.next(round, memory)) {
      const outcome = await this.attempt(sender, round, channel);
      if (outcome === NOT_MADE) break;
      if (!isFailure(outcome)) {
        this.affinity.note(conversation, placeOf(channel));
        return outcome;
      }
      memory.places = new Set([...memory.places, placeOf(channel)]);
      const hasLeft = outcome.aborted || sender.hasLeft(round);
      if (outcome.isUnsupported) unsupported ??= new GivenUp(outcome, channel, false);
      else {
        attempts.push(outcome.attempt);
        last = new GivenUp(outcome, channel, hasLeft);
      }
      const goesOn = this.goesOn(round, memory, channel, outcome);
      if (hasLeft || !goesOn) break;
    }
    if (last) return last;
    if (!unsupported) throw new Error('a call needs a channel');
    // Where no channel could express the request, the usage log names the first one that was checked.
    attempts.push(unsupported.failure.attempt);
    return unsupported;
  }

  /** Of a success the sender tells the channel's breaker, because it knows of it before the answer ends. */
  private attempt<Sent extends Round, Served extends object | undefined, Failure extends RetryFacts>(
    sender: Sender<Sent, Served, Failure>,
    round: Sent,
    channel: KeyedChannel,
  ): ReturnType<Sender<Sent, Served, Failure>['send']> {
    const trial = this.breakers.begin(channel.id);
    return trial ? this.onTrial(trial, () => sender.send(round, channel), channel) : sender.send(round, channel);
  }

  /** The attempt that finds out whether a channel works again. */
  private async onTrial<Outcome extends object | symbol | undefined>(
    trial: Trial,
    send: () => Promise<Outcome> | Outcome,
    channel: KeyedChannel,
  ): Promise<Outcome> {
    let outcome: Outcome | undefined;
    try {
      outcome = await send();
      return outcome;
    } finally {
      this.breakers.end(channel, trial, isFailure(outcome) ? outcome : undefined);
    }
  }

  /** The next channel with its key; `undefined` when none is left, or no further attempt is allowed. */
  private next(round: Round, memory: Memory): KeyedChannel | undefined {
    const { candidates, conversation, attempts } = round;
    if (attempts.length >= memory.allowed) return undefined;
    const first = chooseChannel(candidates, memory.tried, Math.random, conversation);
    if (!first) return undefined;
    const chosen = this.breakers.isOpen(first.id) ? (this.around(round, memory.tried) ?? first) : first;
    return this.keys.pick(chosen, memory.places, conversation);
  }

  /** The next channel among those whose breakers are not open, if there is any. */
  private around({ candidates, conversation }: Round, tried: ReadonlySet<number>): RoutedChannel | undefined {
    const avoided = new Set(tried);
    for (const { id } of candidates) if (this.breakers.isOpen(id)) avoided.add(id);
    return chooseChannel(candidates, avoided, Math.random, conversation);
  }

  /** Whether another key or channel may be tried after this failure; the memory then rules out those that may not. */
  private goesOn(round: Round, memory: Memory, channel: KeyedChannel, failure: RetryFacts): boolean {
    const { places } = memory;
    this.breakers.failed(channel, failure);
    // A refused key is set aside for the next calls too, whatever becomes of this one.
    const hasOtherKey = this.keys.failed(channel, placeOf(channel), failure.attempt.class, places);
    if (!canBeSentAgain(round)) return false;
    if (failure.isUnsupported) {
      // Nothing was sent, so this is no attempt. Channels that would reject the request too are not asked.
      const alike = round.candidates.filter((other) => isAlike(other, channel));
      exclude(memory, ...alike.map(({ id }) => id));
      return true;
    }
    if (failure.isMadeElsewhere && memory.moreElsewhere > 0) {
      memory.moreElsewhere -= 1;
      memory.allowed += 1;
      if (!this.keys.hasOther(channel, places)) exclude(memory, channel.id);
      return true;
    }
    const mayHelpElsewhere = mayHelp(failure, channel);
    if (hasOtherKey && memory.moreKeys > 0) {
      memory.moreKeys -= 1;
      memory.allowed += 1;
      // The refusal is of the key, so another key may be accepted even where no other channel may be tried.
      if (!mayHelpElsewhere)
        exclude(memory, ...round.candidates.filter(({ id }) => id !== channel.id).map(({ id }) => id));
      return true;
    }
    exclude(memory, channel.id);
    return mayHelpElsewhere;
  }
}

function exclude(memory: Memory, ...ids: number[]): void {
  memory.tried = new Set([...memory.tried, ...ids]);
}

const isFailure = <Failure extends RetryFacts>(outcome: object | symbol | undefined): outcome is Failure =>
  typeof outcome === 'object' && 'attempt' in outcome;

/** A form that was forwarded while it was received, without being kept, cannot be sent to another channel. */
const canBeSentAgain = ({ call }: Round): boolean => call.form?.isReplayable !== false;

/** Whether two channels reject the same requests: both have the same type and map models alike. */
const isAlike = (one: RoutedChannel, other: RoutedChannel): boolean =>
  one.type === other.type && isDeepStrictEqual(one.modelMapping, other.modelMapping);

/** Whether another key or channel may have more luck; the relay itself would refuse the call for any of them. */
const mayHelp = ({ localStatus, attempt, mayGoOn }: RetryFacts, { type }: RoutedChannel): boolean =>
  localStatus === undefined && (mayGoOn ?? mayRetry(attempt.status, type));
