import type { Attempt, RoutedChannel } from '@tollgate/contracts';
import { Clock, type Logger, Metrics, type OptionStore } from '@tollgate/chassis';
import { AffinityRecord } from '../src/routing/affinity-record.js';
import { ChannelBreakers } from '../src/routing/channel-breakers.js';
import { KeyChoice, type KeyedChannel, placeOf } from '../src/routing/key-choice.js';
import { GivenUp, NOT_MADE, Retries, type RetryFacts, type Round, type Sender } from '../src/retry/retries.js';

/** What an attempt can come to; `leaves`: the client leaves while the upstream fails. */
export const outcomes = {
  'bad key': { class: 'credential', status: 401 },
  'bad key, told by 400': { class: 'credential', status: 400 },
  'bad key, told under 200': { class: 'credential', status: 200 },
  busy: { class: 'rate-limited', status: 429 },
  broken: { class: 'upstream', status: 500 },
  silent: { class: 'network', status: 0 },
  late: { class: 'timeout', status: 504 },
  invalid: { class: 'invalid', status: 400 },
  elsewhere: { class: 'invalid', status: 400, isMadeElsewhere: true },
  words: { class: 'ok', status: 200, localStatus: 400 },
  unsupported: { class: 'invalid', status: 0, localStatus: 400, isUnsupported: true },
  declined: { class: 'upstream', status: 200, mayGoOn: true },
  doubtful: { class: 'network', status: 0, mayGoOn: false },
  aborted: { class: 'ok', status: 0, aborted: true },
  leaves: { class: 'upstream', status: 500 },
} as const satisfies Record<string, Pick<Attempt, 'class' | 'status'> & Partial<RetryFacts>>;
export type Outcome = keyof typeof outcomes | 'served' | 'not made';

export const channelOf = (id: number, keys = 1, fields: Partial<RoutedChannel> = {}): RoutedChannel => {
  const several = Array.from({ length: keys }, (_, at) => ({ id: `k${at}`, key: `key ${at}` }));
  const common = { id, type: 1, priority: 0, weight: 0, key: 'key', modelMapping: {}, keyMode: 'polling' };
  return { ...common, ...(keys > 1 && { keys: several }), ...fields } as unknown as RoutedChannel;
};

/** Answers by channel, or by channel and key, as scripted; served where nothing is. Writes down what it was sent. */
class Scripted implements Sender<Round, { by: string }, RetryFacts> {
  readonly sent: { place: string; channel: KeyedChannel; failure: RetryFacts | undefined }[] = [];
  private isGone = false;

  constructor(private readonly outcomeAt: (place: string, id: number) => Outcome) {}

  send(_: Round, channel: KeyedChannel): Promise<{ by: string } | RetryFacts | typeof NOT_MADE> {
    const place = placeOf(channel);
    const outcome = this.outcomeAt(place, channel.id);
    if (outcome === 'not made') return Promise.resolve(NOT_MADE);
    if (outcome === 'leaves') this.isGone = true;
    const failure = outcome === 'served' ? undefined : failureAt(channel.id, outcome);
    this.sent.push({ place, channel, failure });
    return Promise.resolve(failure ?? { by: place });
  }

  hasLeft(): boolean {
    return this.isGone;
  }

  get places(): string[] {
    return this.sent.map(({ place }) => place);
  }
}

export function failureAt(channelId: number, outcome: keyof typeof outcomes): RetryFacts {
  const { class: faultClass, status, ...facts } = outcomes[outcome];
  const attempt: Attempt = { channelId, channelType: 1, class: faultClass, status, durationMs: 1 };
  return { aborted: false, ...facts, attempt };
}

export interface Scene {
  breakers?: ChannelBreakers;
  script?: Record<string, Outcome>;
  retryTimes?: number;
  call?: Round['call'];
  conversation?: string;
}

export const breakersAt = (clock: Clock, metrics = new Metrics('relay')): ChannelBreakers =>
  new ChannelBreakers(clock, { info: () => undefined } as unknown as Logger, metrics);

export function scene(
  candidates: readonly RoutedChannel[],
  { breakers = breakersAt(new Clock()), script = {}, retryTimes = 5, call = {}, conversation }: Scene,
) {
  const metrics = new Metrics('relay');
  const keys = new KeyChoice();
  const options = { get: () => retryTimes } as unknown as OptionStore;
  const retries = new Retries(keys, new AffinityRecord(metrics), breakers, options);
  const sender = new Scripted((place, id) => script[place] ?? script[id] ?? 'served');
  const round: Round = { call, candidates, conversation, attempts: [] };
  const run = async () => {
    const outcome = await retries.run<Round, { by: string }, RetryFacts>(sender, round);
    // As a sender does when an answer begins.
    if (!(outcome instanceof GivenUp)) breakers.succeeded(Number.parseInt(outcome.by, 10));
    return outcome;
  };
  return { run, sender, round, keys, metrics };
}

export const inOrder = (...channels: RoutedChannel[]): RoutedChannel[] =>
  channels.map((channel, at) => ({ ...channel, priority: -at }));
