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

/** Tasks as channel keeps them. */
@Injectable()
export class TasksClient {
  constructor(private readonly internal: InternalClient) {}

  /** What is known of the task already: of one whose first run died, how far that came. */
  open(task: z.input<typeof openTask.input>): Promise<z.output<typeof openTask.output>> {
    return this.internal.call(openTask, task);
  }

  /** Tried again: the upstream works already. A repeat changes nothing. */
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

  /** A user's own, newest first. What cannot be an id, as clients send it, finds nothing. */
  async find(userId: number, platform: TaskPlatform, upstreamIds: readonly string[]): Promise<TaskRecord[]> {
    const ids = upstreamIds.filter((id) => id !== '' && id.length <= LONGEST_ID && !id.includes('\0'));
    if (ids.length === 0) return [];
    const { tasks } = await this.internal.call(findTasks, { userId, platform, upstreamIds: ids });
    return tasks;
  }

  async note(told: z.input<typeof noteTask.input>): Promise<boolean> {
    return (await this.internal.call(noteTask, told)).isKnown;
  }

  async picture(taskId: number): Promise<z.output<typeof findPicture.output>['picture']> {
    return (await this.internal.call(findPicture, { taskId })).picture;
  }
}
