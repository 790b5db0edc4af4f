import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  findPicture,
  findTasks,
  noteTask,
  openTask,
  settleTask,
  type TaskPlatform,
  type TaskRecord,
} from '@tollgate/contracts';
import { InternalClient } from '@tollgate/chassis';
import type { z } from 'zod';

const LONGEST_ID = 128;
const SETTLE_ATTEMPTS = 3;
const SETTLE_PAUSE_MS = 300;

/** Client of the tasks that the channel service stores. */
@Injectable()
export class TasksClient {
  constructor(private readonly internal: InternalClient) {}

  /** Stores the task. Returns what is stored already, in case an earlier run died. */
  open(task: z.input<typeof openTask.input>): Promise<z.output<typeof openTask.output>> {
    return this.internal.call(openTask, task);
  }

  /** Retried, because the upstream is already working on the task; a repetition has no effect. */
  async settle(task: z.input<typeof settleTask.input>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.internal.call(settleTask, task);
        return;
      } catch (error) {
        if (attempt === SETTLE_ATTEMPTS) throw error;
        await pause(SETTLE_PAUSE_MS);
      }
    }
  }

  /** Tasks of the user, newest first. Texts that cannot be ids are ignored. */
  async find(userId: number, platform: TaskPlatform, upstreamIds: readonly string[]): Promise<TaskRecord[]> {
    const ids = upstreamIds.filter((id) => id !== '' && id.length <= LONGEST_ID && !id.includes('\0'));
    if (ids.length === 0) return [];
    const { tasks } = await this.internal.call(findTasks, { userId, platform, upstreamIds: ids });
    return tasks;
  }

  async note(update: z.input<typeof noteTask.input>): Promise<boolean> {
    return (await this.internal.call(noteTask, update)).isKnown;
  }

  async picture(taskId: number): Promise<z.output<typeof findPicture.output>['picture']> {
    return (await this.internal.call(findPicture, { taskId })).picture;
  }
}
