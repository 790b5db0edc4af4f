import { z } from 'zod';
import { defineCall } from './define-call.js';

const id = z.int().positive();
const text = (length: number) => z.string().max(length);
/** Milliseconds since 1970; 0 = not yet. */
const time = z.int().nonnegative();
const platform = z.enum(['midjourney', 'suno']);
export type TaskPlatform = z.infer<typeof platform>;

/** What an upstream tells of a task, in our words. */
export const taskNewsSchema = z.object({
  status: text(20),
  /** `45%`; empty = not stated. */
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
  /** What else the upstream stated, as it came; JSON. */
  data: text(262_144).default(''),
});
export type TaskNews = z.infer<typeof taskNewsSchema>;

/** A task of which the upstream stated nothing. */
export const noNews: TaskNews = taskNewsSchema.parse({ status: '' });

export const taskRecordSchema = taskNewsSchema.extend({
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
 * Before the upstream is asked to begin a task, so that what it accepts is never unknown to us. Idempotent by `requestId`.
 * A task that is not settled is polled until its time is up, and then ended as failed.
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
    /** Of a repeat: the task that the upstream accepted; empty where that is not known. */
    upstreamId: z.string().default(''),
    isOver: z.boolean().default(false),
    /** The channel that the row names now; a channel service of the release before does not say, and keeps the first one. */
    channelId: id.optional(),
  }),
});

/** What the upstream answered. `quota`: the units that the request is charged; what a failure gives back is read from the journal. */
export const settleTask = defineCall({
  service: 'channel',
  name: 'settle-task',
  input: z.object({
    requestId: z.uuid(),
    /** Empty: there is no task at the upstream, and the row ends here. */
    upstreamId: text(128),
    code: z.int(),
    quota: z.int().nonnegative(),
    news: taskNewsSchema,
  }),
  output: z.object({ isKnown: z.boolean() }),
});

/** A user's own tasks, newest first, by the ids the upstream gave them. */
export const findTasks = defineCall({
  service: 'channel',
  name: 'find-tasks',
  input: z.object({ userId: id, platform, upstreamIds: z.array(text(128)).max(500) }),
  output: z.object({ tasks: z.array(taskRecordSchema) }),
});

/** The task that a request submitted, whoever owns it; null where it submitted none. */
export const findTask = defineCall({
  service: 'channel',
  name: 'find-task',
  input: z.object({ requestId: z.uuid() }),
  output: z.object({ task: taskRecordSchema.nullable() }),
});

/** The picture of a drawing, whoever owns it: the caller has checked the signature of the address. */
export const findPicture = defineCall({
  service: 'channel',
  name: 'find-picture',
  input: z.object({ taskId: id }),
  output: z.object({
    picture: z
      .object({
        url: z.string(),
        proxy: z.string(),
        /** It lies where the channel's own calls go. */
        isOfChannel: z.boolean(),
      })
      .nullable(),
  }),
});

/** An upstream's own word about the task that it was given an address for. False: no such task of its channel, or it is over. */
export const noteTask = defineCall({
  service: 'channel',
  name: 'note-task',
  input: z.object({ requestId: z.uuid(), channelId: id, upstreamId: text(128), news: taskNewsSchema }),
  output: z.object({ isKnown: z.boolean() }),
});
