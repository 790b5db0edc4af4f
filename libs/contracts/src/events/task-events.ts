import { z } from 'zod';
import { defineEvent } from './define-event.js';
import { withinLimits } from './limits.js';

const id = z.int().positive();
const byUser = (data: { userId: number }): string => String(data.userId);
const texts = { action: 40, upstreamId: 128, status: 20, progress: 30, failReason: 1000 };

const task = z.object({
  taskId: id,
  /** Id of the request that submitted the task; its consumption is booked under this id. */
  requestId: z.uuid(),
  userId: id,
  /** 0 if none. */
  tokenId: z.int().nonnegative(),
  channelId: id,
  platform: z.enum(['midjourney', 'suno']),
  action: z.string(),
  upstreamId: z.string(),
});

export const taskCharged = defineEvent({
  name: 'task-charged',
  summary: 'An upstream accepted a task, whose price is charged by the request that submitted it.',
  version: 1,
  key: byUser,
  bound: (data) => withinLimits(data, texts),
  data: task.extend({ quota: z.int().nonnegative() }),
});

export const taskUpdated = defineEvent({
  name: 'task-updated',
  summary:
    'A drawing or song went on or came to its end. A failure gives back what the journal shows as charged for it.',
  version: 1,
  key: byUser,
  bound: (data) => withinLimits(data, texts),
  data: task.extend({ status: z.string(), progress: z.string(), failReason: z.string(), isOver: z.boolean() }),
});

export const taskRefunded = defineEvent({
  name: 'task-refunded',
  summary: 'The price of a failed task went back into the wallet, and into the budget of its token.',
  version: 1,
  key: byUser,
  bound: (data) => withinLimits(data, texts),
  data: task.extend({ failReason: z.string(), quota: z.int().positive(), quotaText: z.string() }),
});
