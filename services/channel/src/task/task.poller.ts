import { RequestContext } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { TaskPlatform } from '@tollgate/contracts';
import { Clock, Lifecycle, Logger, Metrics, OutboundClient, periodically } from '@tollgate/chassis';
import { asLeader, CombinedReads, Leader, sqlTime } from '@tollgate/database';
import { isModestJson, maskedItem, taskAddress, type TaskItem } from '@tollgate/providers';
import { ChannelKeys } from '../channel/channel-keys.js';
import { proxyOf } from '../channel/channel-target.js';
import { Channel } from '../channel/channel.entity.js';
import { eachOf } from '../upstream/each-of.js';
import { channelGone, NO_ANSWER, OUT_OF_TIME, TIME_LIMIT_MS } from './task-progress.js';
import { readUpdates, upstreamOf } from './task-upstreams.js';
import { TaskService } from './task.service.js';

const POLL_EVERY_MS = 1000;
const CLAIM = 500;
const BATCH = 50;
const CONCURRENCY = 8;
const TIMEOUT_MS = 15_000;
/** How long tasks are reserved for the process that polls them, in case its call hangs. */
const CLAIMED_SECONDS = 30;
/**
 * In milliseconds. A submission that got no reply within this time has failed: its process died, or its upstream hung.
 */
const UNANSWERED_MS = 10 * 60_000;

/** Whether any task is to be polled, as an SQL expression. */
const dueAt = (now: number): string =>
  `exists (select from "task" where "over_at" is null and "poll_at" <= ${sqlTime(now)})`;

interface Due {
  id: number;
  channelId: number;
  platform: TaskPlatform;
  upstreamId: string;
  submittedAt: number;
}

/**
 * Polls upstreams for tasks: many tasks of a channel in one call, and tasks without progress less and less often. The
 * leader does it; if two processes both believe to be the leader, they claim different tasks.
 */
@Injectable()
export class TaskPoller {
  constructor(
    private readonly em: EntityManager,
    private readonly tasks: TaskService,
    private readonly keys: ChannelKeys,
    private readonly outbound: OutboundClient,
    private readonly clock: Clock,
    private readonly logger: Logger,
    reads: CombinedReads,
    leader: Leader,
    lifecycle: Lifecycle,
    metrics: Metrics,
  ) {
    metrics.measured(
      'tollgate_channel_tasks_overdue_seconds',
      'For how long the task that waits longest past its time should have been asked for.',
      [],
      async () => [{ labels: {}, value: await this.overdue() }],
    );
    periodically(
      { lifecycle, logger },
      'the look for tasks that go on',
      POLL_EVERY_MS,
      asLeader(leader, em, async () => {
        if (await reads.read<boolean>(dueAt(clock.now()))) await this.pollDue();
      }),
    );
  }

  /** Polls every due task. One past its time is polled once more, because it may have finished since the last poll. */
  async pollDue(): Promise<void> {
    const due = await this.claim();
    for (const task of due) if (task.upstreamId === '') await this.endIfLate(task);
    const known = due.filter(({ upstreamId }) => upstreamId !== '');
    await eachOf(batchesOf(known), CONCURRENCY, (batch) =>
      RequestContext.create(this.em, () => this.poll(batch).catch((error: unknown) => this.postpone(batch, error))),
    );
  }

  private async overdue(): Promise<number> {
    const [row] = await this.em
      .fork()
      .execute<{ first: Date | null }[]>(`select min("poll_at") as "first" from "task" where "over_at" is null`);
    return row?.first ? Math.max(0, (this.clock.now() - new Date(row.first).getTime()) / 1000) : 0;
  }

  private async claim(): Promise<Due[]> {
    const now = this.clock.now();
    const rows = await this.em.execute<Record<string, string | number | Date>[]>(
      `update "task" set "poll_at" = ? where "id" in (
         select "id" from "task" where "over_at" is null and "poll_at" <= ? order by "poll_at" limit ? for update skip locked
       ) returning "id", "channel_id", "platform", "upstream_id", "submitted_at"`,
      [new Date(now + CLAIMED_SECONDS * 1000), new Date(now), CLAIM],
    );
    return rows.map((row) => ({
      id: Number(row['id']),
      channelId: Number(row['channel_id']),
      platform: row['platform'] as TaskPlatform,
      upstreamId: String(row['upstream_id']),
      submittedAt: new Date(row['submitted_at'] as Date).getTime(),
    }));
  }

  private reasonToEnd({ platform, upstreamId, submittedAt }: Due): string | undefined {
    const age = this.clock.now() - submittedAt;
    if (upstreamId === '') return age > UNANSWERED_MS ? NO_ANSWER : undefined;
    return age > TIME_LIMIT_MS[platform] ? OUT_OF_TIME[platform] : undefined;
  }

  private async endIfLate(task: Due): Promise<void> {
    const reason = this.reasonToEnd(task);
    if (reason !== undefined) await this.end(task, reason);
  }

  /** A task that cannot be ended must not hold up the others; it becomes due again. */
  private async end(task: Due, reason: string): Promise<void> {
    try {
      await this.tasks.fail(task.id, reason);
    } catch (error) {
      this.logger.error('a task could not be ended', { taskId: task.id, error });
    }
  }

  private async poll(batch: readonly Due[]): Promise<void> {
    const [first] = batch;
    if (!first) return;
    const channel = await this.em.findOne(Channel, { id: first.channelId }, { disableIdentityMap: true });
    if (!channel) {
      for (const task of batch) await this.end(task, channelGone(task.channelId));
      return;
    }
    const updates = readUpdates(first.platform, await this.call(channel, first.platform, batch));
    if (!updates) throw new Error('the reply is no list of tasks');
    const { baseUrl, organization } = channel;
    const account = { key: this.keys.open(channel), baseUrl, organization };
    for (const task of batch) {
      const item = updates.get(task.upstreamId);
      await this.applyItem(task, item && maskedItem(item, account));
    }
  }

  /**
   * Stores an update, and ends the task if it is past its time and still not over. An update that cannot be stored must
   * not hold up the other tasks; its task is polled again, since the update may be its end.
   */
  private async applyItem(task: Due, item?: TaskItem): Promise<void> {
    const { upstreamId: _, ...update } = item ?? { upstreamId: '' };
    try {
      await this.tasks.applyPolled(task.id, 'status' in update ? update : undefined);
    } catch (error) {
      return this.logger.error('what was heard of a task could not be kept', { taskId: task.id, error });
    }
    await this.endIfLate(task);
  }

  private async call(channel: Channel, platform: TaskPlatform, batch: readonly Due[]): Promise<unknown> {
    const upstream = upstreamOf(platform);
    const { status, body } = await this.outbound.send({
      kind: 'channel',
      method: 'POST',
      url: `${taskAddress(channel)}${upstream.path}`,
      headers: { ...upstream.headers(this.keys.open(channel)), 'content-type': 'application/json' },
      body: JSON.stringify({ ids: batch.map(({ upstreamId }) => upstreamId) }),
      timeoutMs: TIMEOUT_MS,
      proxy: proxyOf(channel),
    });
    const text = body.toString('utf8');
    if (status !== 200 || !isModestJson(text)) throw new Error(`the upstream answered ${status}`);
    return JSON.parse(text) as unknown;
  }

  /** Polls again later when an upstream does not answer, with growing pauses, and ends the tasks past their time. */
  private async postpone(batch: readonly Due[], error: unknown): Promise<void> {
    this.logger.warn('tasks could not be asked for', { channelId: batch[0]?.channelId, tasks: batch.length, error });
    for (const task of batch) await this.applyItem(task);
  }
}

/** Groups due tasks into batches of one channel and platform. */
function batchesOf(due: readonly Due[]): Due[][] {
  const byChannel = Map.groupBy(due, ({ channelId, platform }) => `${platform}:${channelId}`);
  return [...byChannel.values()].flatMap((tasks) =>
    Array.from({ length: Math.ceil(tasks.length / BATCH) }, (_, at) => tasks.slice(at * BATCH, (at + 1) * BATCH)),
  );
}
