import { z } from 'zod';
import { defineCall } from './define-call.js';

const id = z.int().positive();
const text = (length: number) => z.string().max(length);
/** Unix milliseconds; 0 = not yet. */
const time = z.int().nonnegative();
const platform = z.enum(['midjourney', 'suno']);
export type TaskPlatform = z.infer<typeof platform>;

/** An upstream's report about a task, with our status names. */
export const taskUpdateSchema = z.object({
  status: text(20),
  /** For example `45%`; empty if not stated. */
  progress: text(30).default(''),
  startedAt: time.default(0),
  finishedAt: time.default(0),
  failReason: text(2000).default(''),
  imageUrl: text(4096).default(''),
  promptEn: text(20_000).default(''),
  description: text(2000).default(''),
  state: text(2000).default(''),
  /** JSON texts. */
  buttons: text(65_536).default(''),
  properties: text(65_536).default(''),
  /** The upstream's complete report as JSON. */
  data: text(262_144).default(''),
});
export type TaskUpdate = z.infer<typeof taskUpdateSchema>;

/** A report without contents. */
export const emptyTaskUpdate: TaskUpdate = taskUpdateSchema.parse({ status: '' });

export const taskRecordSchema = taskUpdateSchema.extend({
  id,
  requestId: z.string(),
  userId: id,
  channelId: id,
  platform,
  action: z.string(),
  upstreamId: z.string(),
  code: z.int(),
  prompt: z.string(),
  submittedAt: time,
  isOver: z.boolean(),
});
export type TaskRecord = z.infer<typeof taskRecordSchema>;

/**
 * Called before the upstream is asked to begin a task, so that every task it accepts is recorded here. Idempotent by `requestId`. A task
 * that is not settled is polled until its time limit and then ended as failed.
 */
export const openTask = defineCall({
  service: 'channel',
  name: 'open-task',
  input: z.object({
    requestId: z.uuid(),
    userId: id,
    tokenId: z.int().nonnegative(),
    channelId: id,
    platform,
    action: text(40),
    prompt: text(20_000),
    submittedAt: time,
  }),
  output: z.object({
    id,
    /** In the reply to a repeat: the task that the upstream accepted; empty if unknown. */
    upstreamId: z.string().default(''),
    isOver: z.boolean().default(false),
    /** The channel that the row now names; a channel service of the previous release omits it and keeps the first one. */
    channelId: id.optional(),
  }),
});

/** Records the upstream's reply. `quota` is the charge of the request in units; the refund after a failure is read from the journal. */
export const settleTask = defineCall({
  service: 'channel',
  name: 'settle-task',
  input: z.object({
    requestId: z.uuid(),
    /** Empty if the upstream has no such task; the row is then ended. */
    upstreamId: text(128),
    code: z.int(),
    quota: z.int().nonnegative(),
    news: taskUpdateSchema,
  }),
  output: z.object({ isKnown: z.boolean() }),
});

/** A user's own tasks, newest first, by the upstream's ids. */
export const findTasks = defineCall({
  service: 'channel',
  name: 'find-tasks',
  input: z.object({ userId: id, platform, upstreamIds: z.array(text(128)).max(500) }),
  output: z.object({ tasks: z.array(taskRecordSchema) }),
});

/** The task that a request submitted, whoever owns it; null if it submitted none. */
export const findTask = defineCall({
  service: 'channel',
  name: 'find-task',
  input: z.object({ requestId: z.uuid() }),
  output: z.object({ task: taskRecordSchema.nullable() }),
});

/** Whether a drawing's picture is what was drawn; until then it is a preview that changes. */
export const isFinalPicture = (status: string): boolean => status === 'SUCCESS';

/** The picture of a drawing, whoever owns it: the caller has verified the signature of the address. */
export const findPicture = defineCall({
  service: 'channel',
  name: 'find-picture',
  input: z.object({ taskId: id }),
  output: z.object({
    picture: z
      .object({
        url: z.string(),
        proxy: z.string(),
        /** The picture has the same origin as the channel's own calls. */
        isOfChannel: z.boolean(),
        /** No preview of an unfinished drawing, which changes; a channel service of the previous release does not say. */
        isFinal: z.boolean().default(false),
      })
      .nullable(),
  }),
});

/** Records an upstream's callback about a task. False if the channel has no such task, or if it has ended. */
export const noteTask = defineCall({
  service: 'channel',
  name: 'note-task',
  input: z.object({ requestId: z.uuid(), channelId: id, upstreamId: text(128), news: taskUpdateSchema }),
  output: z.object({ isKnown: z.boolean() }),
});
