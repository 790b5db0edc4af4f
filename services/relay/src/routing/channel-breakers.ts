import { Injectable } from '@nestjs/common';
import type { Attempt } from '@tollgate/contracts';
import { Clock, growingCache, Logger, Metrics } from '@tollgate/chassis';
import { Breaker, type Trial } from './breaker.js';
import type { KeyedChannel } from './key-choice.js';

const MOST_CHANNELS = 10_000;
const OF_CHANNEL: ReadonlySet<Attempt['class']> = new Set<Attempt['class']>([
  'upstream',
  'network',
  'timeout',
  'rate-limited',
]);
/** Statuses whose `Retry-After` means the channel and not one request. */
const BUSY: ReadonlySet<number> = new Set([429, 503]);

interface ChannelFailure {
  attempt: Attempt;
  retryAfter?: number;
}

/**
 * The breakers of the channels that failed lately, as this replica saw them. They only order the choice: an open channel
 * is passed over while another one may serve the request (docs/adr/0048). Nothing is kept of channels that work.
 */
@Injectable()
export class ChannelBreakers {
  private readonly breakers = growingCache<number, Breaker>({ most: MOST_CHANNELS });

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
    metrics: Metrics,
  ) {
    metrics.measured(
      'tollgate_relay_channel_open',
      '1 for a channel that this replica passes over, because it failed and has not answered since.',
      ['channel'],
      () => Promise.resolve(this.samples()),
    );
  }

  /** Whether requests should go to other channels, where there are any. */
  isOpen(channelId: number): boolean {
    if (this.breakers.size === 0) return false;
    return this.breakers.get(channelId)?.isOpen(this.clock.monotonic()) === true;
  }

  /** To be called before each attempt; a trial must be ended. */
  begin(channelId: number): Trial | undefined {
    if (this.breakers.size === 0) return undefined;
    return this.breakers.get(channelId)?.begin(this.clock.monotonic());
  }

  /** `failure`: how the trial failed, if it did. */
  end(channel: KeyedChannel, trial: Trial, failure: ChannelFailure | undefined): void {
    const breaker = this.breakers.get(channel.id);
    if (!breaker) return;
    if (failure && isOfChannel(failure.attempt, channel.keyId))
      this.noteOpening(failure, breaker.failedAgain(this.clock.monotonic(), trial, statedPause(failure)));
    breaker.end(trial);
  }

  /** To be called as soon as the upstream's answer is known to be one. */
  succeeded(channelId: number): void {
    if (this.breakers.size === 0) return;
    const breaker = this.breakers.get(channelId);
    if (!breaker) return;
    const now = this.clock.monotonic();
    if (breaker.succeeded(now)) this.logger.info('a channel answers again', { channelId });
    if (breaker.isCalm(now)) this.breakers.delete(channelId);
  }

  failed({ id, keyId }: KeyedChannel, failure: ChannelFailure): void {
    if (!isOfChannel(failure.attempt, keyId)) return;
    let breaker = this.breakers.get(id);
    if (!breaker) this.breakers.set(id, (breaker = new Breaker(Math.random)));
    this.noteOpening(failure, breaker.failed(this.clock.monotonic(), statedPause(failure)));
  }

  /** Forgets what is known of changed channels, which may have been mended. */
  forget(isChanged: (channelId: number) => boolean): void {
    for (const channelId of [...this.breakers.keys()]) if (isChanged(channelId)) this.breakers.delete(channelId);
  }

  private noteOpening({ attempt }: ChannelFailure, ms: number): void {
    if (ms === 0) return;
    const { channelId, class: attemptClass, status } = attempt;
    this.logger.info('a channel fails and is passed over', { channelId, ms: Math.round(ms), attemptClass, status });
  }

  private samples(): { labels: { channel: string }; value: number }[] {
    const open = [...this.breakers.entries()].filter(([, breaker]) => !breaker.isClosed);
    return open.map(([channelId]) => ({ labels: { channel: String(channelId) }, value: 1 }));
  }
}

const statedPause = ({ attempt, retryAfter }: ChannelFailure): number | undefined =>
  BUSY.has(attempt.status) ? retryAfter : undefined;

/**
 * Whether a failure says something of the whole channel. A 4xx is about the request, and a rate limit of one of several
 * keys about that key, which `KeyChoice` sets aside.
 */
const isOfChannel = ({ class: attemptClass, status }: Attempt, keyId: string | undefined): boolean =>
  OF_CHANNEL.has(attemptClass) &&
  !(attemptClass === 'upstream' && status >= 400 && status < 500) &&
  !(attemptClass === 'rate-limited' && keyId !== undefined);
