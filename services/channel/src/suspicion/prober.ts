import { Injectable } from '@nestjs/common';
import { RequestContext } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { ChannelStatus } from '@tollgate/contracts';
import { inFreshContext, Lifecycle, Logger, OptionStore, periodically } from '@tollgate/chassis';
import { CombinedReads, Leader } from '@tollgate/database';
import { ChannelChanges, type Move } from '../channel/channel-changes.js';
import { FRESH, lockChannels } from '../channel/channel-store.js';
import { ChannelTestService } from '../channel-test/channel-test.service.js';
import { evidenceOf, type TestOutcome } from '../channel-test/test-verdict.js';
import type { Channel } from '../channel/channel.entity.js';
import type { ChannelSuspicion } from './channel-suspicion.entity.js';
import { HealthMetrics } from '../health/health-metrics.js';
import { HealthService } from '../health/health.service.js';
import {
  FORGIVEN_AFTER_MS,
  isCertain,
  isWitnessed,
  PROBE_AGAIN_MS,
  MAX_UNDECIDED,
  pauseAfterUndecided,
  verdictOf,
} from './probe-policy.js';
import { ChannelReturns } from './channel-returns.js';
import { type AwayKey, KeyReturns } from './key-returns.js';
import { Suspicions } from './suspicions.js';

const CHECK_EVERY_MS = 1000;
const TIMEOUT_MS = 10_000;
const CONCURRENCY = 8;

/**
 * Checks suspicions by a request of our own that contains no text of a user: an error that one user's request can
 * provoke proves nothing about the channel. Only the leader sends probes, and each channel is probed once at a time.
 */
@Injectable()
export class Prober {
  /** Looks for due probes now; without it, the leader does so within a second. */
  readonly wake: () => void;
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly em: EntityManager,
    private readonly suspicions: Suspicions,
    private readonly tests: ChannelTestService,
    private readonly health: HealthService,
    private readonly changes: ChannelChanges,
    private readonly returns: KeyReturns,
    private readonly channelReturns: ChannelReturns,
    private readonly metrics: HealthMetrics,
    private readonly options: OptionStore,
    private readonly logger: Logger,
    private readonly reads: CombinedReads,
    leader: Leader,
    lifecycle: Lifecycle,
  ) {
    // Drain hooks run in reverse order: first the periodic look-up stops, then running probes are aborted.
    lifecycle.onDrain(() => this.stop());
    this.wake = periodically({ lifecycle, logger }, 'the look for suspect channels', CHECK_EVERY_MS, async () => {
      if (leader.isLeader && (await this.isAnyDue())) await this.startDueProbes();
    });
  }

  private async isAnyDue(): Promise<boolean> {
    const due = [this.suspicions.due(), this.returns.due(), this.channelReturns.due()];
    const found = await Promise.all(due.map((expression) => this.reads.read<boolean>(expression)));
    return found.includes(true);
  }

  /** Starts due probes without waiting for them, so that an upstream that hangs does not hold up the others. */
  async startDueProbes(): Promise<void> {
    if (this.stopping.signal.aborted) return;
    await this.startProbes(this.suspicions, (suspicion) => this.probeSuspect(suspicion));
    // What is off gets what is left of the concurrency limit: enabled channels come first.
    await this.startProbes(this.returns, (place) => this.probeKey(place));
    await this.startProbes(this.channelReturns, (channelId) => this.probeChannel(channelId));
  }

  private async startProbes<T>(
    source: { claim(limit: number): Promise<T[]> },
    work: (claimed: T) => Promise<void>,
  ): Promise<void> {
    const free = CONCURRENCY - this.running.size;
    if (free <= 0) return;
    for (const claimed of await this.inSession(() => source.claim(free))) {
      const probe: Promise<void> = inFreshContext(() => this.inSession(() => work(claimed))).finally(() =>
        this.running.delete(probe),
      );
      this.running.add(probe);
    }
  }

  /** Resolves when the probes of this process are over. */
  async settled(): Promise<void> {
    await Promise.all(this.running);
  }

  private async stop(): Promise<void> {
    this.stopping.abort();
    await this.settled();
  }

  private async probeSuspect(suspicion: ChannelSuspicion): Promise<void> {
    const { channelId, keyId } = suspicion;
    try {
      const limits = { timeoutMs: TIMEOUT_MS, signal: this.stopping.signal, keyId: keyId || undefined };
      await this.conclude(suspicion, await this.tests.test(channelId, '', limits));
    } catch (error) {
      // The probe becomes due again in a minute, here or on another leader.
      if (!this.stopping.signal.aborted)
        this.logger.warn('a suspect channel could not be probed', { channelId, error });
    }
  }

  private async probeKey(place: AwayKey): Promise<void> {
    const { channelId, keyId } = place;
    try {
      const limits = { timeoutMs: TIMEOUT_MS, signal: this.stopping.signal, keyId };
      await this.returns.conclude(place, await this.tests.test(channelId, '', limits));
    } catch (error) {
      if (!this.stopping.signal.aborted)
        this.logger.warn('a key that was set aside could not be asked again', { channelId, error });
    }
  }

  private async probeChannel(channelId: number): Promise<void> {
    try {
      const limits = { timeoutMs: TIMEOUT_MS, signal: this.stopping.signal };
      await this.channelReturns.conclude(channelId, await this.tests.test(channelId, '', limits));
    } catch (error) {
      if (!this.stopping.signal.aborted)
        this.logger.warn('a channel that was switched off could not be probed', { channelId, error });
    }
  }

  private async conclude(suspicion: ChannelSuspicion, outcome: TestOutcome): Promise<void> {
    const verdict = verdictOf(outcome);
    if (verdict === 'cleared') return this.keepEnabled(suspicion, outcome, 'cleared');
    if (verdict === 'undecided') return this.defer(suspicion, outcome);
    const isProven = isCertain(suspicion.evidence) || isWitnessed(suspicion.witnesses);
    if (verdict === 'impossible' && !isProven) return this.keepWaiting(suspicion);
    const decide = ({ status, autoBan }: Channel): Move | undefined =>
      status === ChannelStatus.enabled && autoBan && this.options.get('AutomaticDisableChannelEnabled')
        ? { to: ChannelStatus.autoDisabled, ...this.entry(suspicion, outcome) }
        : undefined;
    const { channelId, observedAt, keyId } = suspicion;
    const applied = await this.health.apply(channelId, observedAt, decide, keyId || undefined);
    await this.em.transactional(
      (em) =>
        applied === 'held'
          ? this.suspicions.postpone(em, suspicion, PROBE_AGAIN_MS)
          : this.suspicions.drop(em, suspicion),
      FRESH,
    );
  }

  /** Keeps the channel enabled and records why in the timeline. */
  private async keepEnabled(
    suspicion: ChannelSuspicion,
    outcome: TestOutcome,
    verdict: 'cleared' | 'unproven',
  ): Promise<void> {
    await this.em.transactional(async (em) => {
      const [channel] = await lockChannels(em, { id: suspicion.channelId });
      if (!channel) return;
      this.changes.note(em, channel, verdict, this.entry(suspicion, outcome));
      await this.suspicions.clear(em, suspicion, outcome.startedAt);
    }, FRESH);
    this.metrics.count(verdict);
  }

  private async defer(suspicion: ChannelSuspicion, outcome: TestOutcome): Promise<void> {
    const undecided = suspicion.undecided + 1;
    if (undecided >= MAX_UNDECIDED) return this.keepEnabled(suspicion, outcome, 'unproven');
    const pauseMs = pauseAfterUndecided(undecided);
    await this.em.transactional((em) => this.suspicions.postpone(em, suspicion, pauseMs, undecided), FRESH);
  }

  /**
   * For channels that cannot be probed: the next look is a minute after the claim. Drops the suspicion when there has
   * been no new evidence for long enough.
   */
  private async keepWaiting(suspicion: ChannelSuspicion): Promise<void> {
    const { observedAt, probeAt } = suspicion;
    if (probeAt.getTime() - observedAt.getTime() < FORGIVEN_AFTER_MS) return;
    await this.em.transactional((em) => this.suspicions.drop(em, suspicion), FRESH);
  }

  /**
   * The reason is the upstream's reply to our probe, because its reply to a user's request may quote the user's text.
   */
  private entry({ reason, evidence, witnesses }: ChannelSuspicion, outcome: TestOutcome): Omit<Move, 'to'> {
    const users = new Set(witnesses.map(({ userId }) => userId)).size;
    return outcome.wasSent
      ? { cause: 'request', reason: outcome.message || reason, evidence: { ...evidence, probe: evidenceOf(outcome) } }
      : { cause: 'request', reason, evidence: { ...evidence, requests: witnesses.length, users } };
  }

  private inSession<T>(work: () => Promise<T>): Promise<T> {
    return RequestContext.create(this.em, work);
  }
}
