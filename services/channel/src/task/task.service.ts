import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import {
  type EventOf,
  type findTasks,
  emptyTaskUpdate,
  type noteTask,
  type openTask,
  type settleTask,
  taskCharged,
  type TaskUpdate,
  taskUpdated,
} from '@tollgate/contracts';
import { LAST_MILLISECOND } from '@tollgate/contracts/api/fields';
import { Clock, storableText } from '@tollgate/chassis';
import { isErased, Outbox } from '@tollgate/database';
import type { z } from 'zod';
import { FRESH } from '../channel/channel-store.js';
import { pauseAfter } from './poll-pace.js';
import { isEnd, type TaskState, applyUpdate, withoutContent } from './task-progress.js';
import { Task } from './task.entity.js';

type Opening = z.output<typeof openTask.input>;
type Settlement = z.output<typeof settleTask.input>;
type Note = z.output<typeof noteTask.input>;
type Search = z.output<typeof findTasks.input>;

/**
 * The state of tasks. A task only moves forward and ends once; its end and the event that refunds its price commit
 * together. Updates come from the poller, from callbacks and from the request itself, in any order and more than once.
 */
@Injectable()
export class TaskService {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates the row; a repeated call returns the existing one in its current state. The row gets the channel that is
   * tried now: the previous one did not accept the task, or it is unknown whether it did.
   */
  async open(opening: Opening): Promise<z.output<typeof openTask.output>> {
    const { requestId, userId, tokenId, channelId, platform, action, submittedAt } = opening;
    const now = new Date(this.clock.now());
    const [row] = await this.em.execute<{ id: string; channel_id: string; upstream_id: string; over_at: unknown }[]>(
      `insert into "task" ("request_id", "user_id", "token_id", "channel_id", "platform", "action", "prompt", "submitted_at",
         "poll_at", "created_at", "updated_at")
       select ?, ?, ?, ?, ?, ?, case when exists (select from "erased_user" where "user_id" = ?) then '' else ? end, ?, ?, ?, ?
       on conflict ("request_id") do update set "channel_id" =
         case when "task"."settled_at" is null and "task"."over_at" is null then excluded."channel_id" else "task"."channel_id" end
       returning "id", "channel_id", "upstream_id", "over_at"`,
      [
        ...[requestId, userId, tokenId, channelId, platform, action, userId, storableText(opening.prompt)],
        ...[new Date(submittedAt), now, now, now],
      ],
    );
    const known = { upstreamId: row?.upstream_id ?? '', isOver: row?.over_at !== null };
    return { id: Number(row?.id), channelId: Number(row?.channel_id), ...known };
  }

  /** Records the upstream's reply to the submission. Returns false for an unknown task. */
  settle({ requestId, upstreamId, code, quota, news }: Settlement): Promise<boolean> {
    return this.em.transactional(async (em) => {
      const task = await em.findOne(Task, { requestId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!task) return false;
      if (task.settledAt) return true;
      const now = new Date(this.clock.now());
      Object.assign(task, { upstreamId, code, quota, settledAt: now, updatedAt: now });
      task.pollAt = new Date(now.getTime() + pauseAfter(0));
      // The task ran out of time before the reply arrived. It has ended and is refunded nevertheless.
      if (task.overAt) {
        await takeFromChannel(em, task);
        return true;
      }
      if (upstreamId === '') this.refuse(task, (await isErased(em, task.userId)) ? withoutContent(news) : news, now);
      else {
        await this.outbox.add(taskCharged, { ...factsOf(task), quota });
        await this.apply(em, task, news.status === '' ? { ...news, status: 'SUBMITTED' } : news);
      }
      return true;
    }, FRESH);
  }

  /**
   * Applies an update that the upstream sent by callback. Returns false when this channel has no such task, or the task
   * has ended.
   */
  note({ requestId, channelId, upstreamId, news }: Note): Promise<boolean> {
    return this.em.transactional(async (em) => {
      const where = { requestId, channelId, upstreamId, overAt: null };
      const task = await em.findOne(Task, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!task) return false;
      await this.apply(em, task, news);
      return true;
    }, FRESH);
  }

  /** Applies what the poller has found; `undefined` when the upstream did not report the task. */
  applyPolled(id: number, update: TaskUpdate | undefined): Promise<void> {
    return this.em.transactional(async (em) => {
      const task = await em.findOne(Task, { id, overAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!task) return;
      const isChanged = update !== undefined && (await this.apply(em, task, update));
      task.idlePolls = isChanged ? 0 : task.idlePolls + 1;
      task.pollAt = new Date(this.clock.now() + pauseAfter(task.idlePolls));
    }, FRESH);
  }

  /** Ends a task of which no more updates can be expected. */
  fail(id: number, reason: string): Promise<void> {
    return this.em.transactional(async (em) => {
      const task = await em.findOne(Task, { id, overAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (task) await this.apply(em, task, { ...emptyTaskUpdate, status: 'FAILURE', failReason: reason });
    }, FRESH);
  }

  /** The user's tasks with these upstream ids, newest first. */
  find({ userId, platform, upstreamIds }: Search): Promise<Task[]> {
    const where = { userId, platform, upstreamId: { $in: upstreamIds.filter((id) => id !== '') } };
    return this.em.find(Task, where, { orderBy: { id: 'desc' }, disableIdentityMap: true });
  }

  /** The upstream has not accepted the task, so it is neither charged nor polled. */
  private refuse(task: Task, update: TaskUpdate, now: Date): void {
    task.status = 'FAILURE';
    task.progress = '100%';
    task.failReason = storableText(update.failReason);
    task.description = storableText(update.description);
    task.finishedAt = now;
    task.overAt = now;
  }

  /** The caller has locked the row of a task that has not ended. Returns whether the update changed anything. */
  private async apply(em: EntityManager, task: Task, update: TaskUpdate): Promise<boolean> {
    const next = applyUpdate(taskStateOf(task), (await isErased(em, task.userId)) ? withoutContent(update) : update);
    if (!next) return false;
    const now = new Date(this.clock.now());
    write(task, next, now);
    if (isEnd(next.status)) await this.end(em, task, now);
    const { status, progress, failReason } = task;
    await this.outbox.add(taskUpdated, {
      ...factsOf(task),
      status,
      progress,
      failReason,
      isOver: task.overAt !== null,
    });
    return true;
  }

  private async end(em: EntityManager, task: Task, now: Date): Promise<void> {
    task.overAt = now;
    task.finishedAt ??= now;
    if (task.status !== 'FAILURE') return;
    task.isRefunded = true;
    await takeFromChannel(em, task);
  }
}

/**
 * A refunded amount does not count as used quota of the channel either. The sum may be below zero until the call itself
 * is counted, which may happen after its failure is known.
 */
async function takeFromChannel(em: EntityManager, { channelId, quota }: Task): Promise<void> {
  if (quota === 0) return;
  const sql = `update "channel" set "used_quota" = "used_quota" - ? where "id" = ?`;
  await em.execute(sql, [quota, channelId], 'run');
}

export const millisecondsOf = (time: Date | null | undefined): number => time?.getTime() ?? 0;
/** A time that an upstream sends may be out of range; it then counts as missing. */
const dateOf = (time: number): Date | null => (time > 0 && time <= LAST_MILLISECOND ? new Date(time) : null);

export function taskStateOf(task: Task): TaskState {
  const { status, progress, failReason, imageUrl, promptEn, description, state, buttons, properties, data } = task;
  return {
    ...{ status, progress, failReason, imageUrl, promptEn, description, state, buttons, properties, data },
    startedAt: millisecondsOf(task.startedAt),
    finishedAt: millisecondsOf(task.finishedAt),
  };
}

function write(task: Task, { startedAt, finishedAt, ...texts }: TaskState, now: Date): void {
  const storable = Object.entries(texts).map(([name, text]) => [name, storableText(text)]);
  Object.assign(task, Object.fromEntries(storable), {
    startedAt: dateOf(startedAt),
    finishedAt: dateOf(finishedAt),
    updatedAt: now,
  });
}

type Facts = Omit<EventOf<typeof taskCharged>['data'], 'quota'>;

const factsOf = ({ id, requestId, userId, tokenId, channelId, platform, action, upstreamId }: Task): Facts => ({
  taskId: id,
  ...{ requestId, userId, tokenId, channelId, platform, action, upstreamId },
});
