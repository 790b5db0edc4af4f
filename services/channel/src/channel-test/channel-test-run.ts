import { Injectable } from '@nestjs/common';
import { RequestContext } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { ChannelStatus, channelTestsFinished, type EventOf, speechlessChannelTypes } from '@tollgate/contracts';
import { AppError, inFreshContext, KeyValue, Lifecycle, Logger, OptionStore } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import { HealthService } from '../health/health.service.js';
import type { Move } from '../channel/channel-changes.js';
import { Channel } from '../channel/channel.entity.js';
import { eachOf } from '../upstream/each-of.js';
import { RunLock } from '../upstream/run-lock.js';
import { ChannelTestService } from './channel-test.service.js';
import { evidenceOf, judgeTest, testPolicyOf } from './test-verdict.js';

const LOCK_KEY = 'channel:test-run';
const CONCURRENCY = 8;
const GRACE_MS = 5000;

/** Tests every channel that is enabled or may be enabled again. Only one run at a time over all replicas. */
@Injectable()
export class ChannelTestRun {
  private running: Promise<void> | undefined;
  private stopping = false;

  constructor(
    private readonly em: EntityManager,
    private readonly tests: ChannelTestService,
    private readonly health: HealthService,
    private readonly keyValue: KeyValue,
    private readonly options: OptionStore,
    private readonly outbox: Outbox,
    private readonly logger: Logger,
    lifecycle: Lifecycle,
  ) {
    lifecycle.onDrain(() => this.stop());
  }

  /**
   * Resolves when the run has begun; throws while another one is running. A scheduled run has `done`, which is called
   * when all channels are tested, and its end sends no notice.
   */
  async start(done?: () => Promise<void>): Promise<void> {
    const lock = await RunLock.take(this.keyValue, LOCK_KEY);
    if (!lock) throw new AppError('conflict', 'channel-test-running', '测试已在运行中');
    // The run must not inherit the context of the request, above all not its database session.
    this.running = inFreshContext(() => this.run(lock, done));
  }

  /** Resolves when the run that this process has begun is over. */
  async settled(): Promise<void> {
    await this.running;
  }

  /** Begins no more tests. A test in progress may finish within the grace period; then the process ends it. */
  private async stop(): Promise<void> {
    this.stopping = true;
    const grace = new Promise((resolve) => setTimeout(resolve, GRACE_MS).unref());
    await Promise.race([this.running, grace]);
  }

  private async run(lock: RunLock, done?: () => Promise<void>): Promise<void> {
    try {
      const ids = await this.inSession(() => this.listIds());
      const counted = { tested: 0, failed: 0 };
      await eachOf(ids, CONCURRENCY, async (id) => {
        if (!lock.isHeld || this.stopping) return;
        const success = await this.inSession(() => this.testOne(id));
        counted.tested += 1;
        if (!success) counted.failed += 1;
      });
      if (!lock.isHeld || this.stopping) return;
      await this.inSession(() => this.announce({ ...counted, ...(done && { scheduled: true }) }));
      if (done) await this.inSession(done);
    } catch (error) {
      this.logger.error('the test of all channels ended early', { error });
    } finally {
      await lock
        .release()
        .catch((error: unknown) => this.logger.warn('the lock of the channel test was not released', { error }));
    }
  }

  /**
   * The channels that can be tested. Channels of types that a test cannot call are left out, because they would only
   * count as failed.
   */
  private async listIds(): Promise<number[]> {
    const { enable } = testPolicyOf(this.options);
    const statuses = enable ? [ChannelStatus.enabled, ChannelStatus.autoDisabled] : [ChannelStatus.enabled];
    const channels = await this.em.find(
      Channel,
      { status: { $in: statuses }, type: { $nin: [...speechlessChannelTypes] } },
      { fields: ['id'], orderBy: { id: 'asc' } },
    );
    return channels.map(({ id }) => id);
  }

  private async announce(counted: EventOf<typeof channelTestsFinished>['data']): Promise<void> {
    await this.em.transactional(() => this.outbox.add(channelTestsFinished, counted));
  }

  /** Whether the test succeeded. */
  private async testOne(id: number): Promise<boolean> {
    try {
      const outcome = await this.tests.test(id);
      const judge = (channel: Channel): Move | undefined => {
        const verdict = judgeTest(channel, outcome, testPolicyOf(this.options));
        return verdict && { ...verdict, cause: 'test', evidence: evidenceOf(outcome) };
      };
      await this.health.apply(id, outcome.startedAt, judge, outcome.isCredentialFault ? outcome.keyId : undefined);
      return outcome.success;
    } catch (error) {
      // A channel that was deleted meanwhile, or whose key cannot be decrypted, must not end the run.
      if (!this.stopping) this.logger.warn('a channel could not be tested', { channelId: id, error });
      return false;
    }
  }

  private inSession<T>(work: () => Promise<T>): Promise<T> {
    return RequestContext.create(this.em, work);
  }
}
