import { z } from 'zod';
import { pageFromZeroSchema } from '../envelope.js';
import { hasNoNul, integerFilter } from './fields.js';

const taskFacts = {
  id: z.int(),
  /** Unix seconds. */
  created_at: z.int(),
  /** 0 for users, who do not see the channel. */
  channel_id: z.int(),
  user_id: z.int(),
  action: z.string(),
  status: z.string(),
  /** `45%`. */
  progress: z.string(),
  fail_reason: z.string(),
  /** Units charged; `refunded` tells whether they were returned after a failure. */
  quota: z.int(),
  refunded: z.boolean(),
  /** Id of the request that submitted the task, as in its log row. */
  request_id: z.string(),
};

/** A drawing; its three times are in milliseconds, 0 = not yet. */
export const drawingSchema = z.object({
  ...taskFacts,
  code: z.int(),
  mj_id: z.string(),
  prompt: z.string(),
  prompt_en: z.string(),
  description: z.string(),
  state: z.string(),
  submit_time: z.int(),
  start_time: z.int(),
  finish_time: z.int(),
  image_url: z.string(),
  /** JSON texts as written by the upstream; empty if there are none. */
  buttons: z.string(),
  properties: z.string(),
});
export type Drawing = z.infer<typeof drawingSchema>;

/** A creative task; its three times are in seconds, 0 = not yet. */
export const taskSchema = z.object({
  ...taskFacts,
  updated_at: z.int(),
  task_id: z.string(),
  platform: z.string(),
  submit_time: z.int(),
  start_time: z.int(),
  finish_time: z.int(),
  properties: z.looseObject({}),
  /** The upstream's last description of the task. */
  data: z.unknown(),
});
export type CreativeTask = z.infer<typeof taskSchema>;

const invalid = '无效的参数';
const text = z.string(invalid).refine(hasNoNul, invalid).default('');
const times = { start_timestamp: integerFilter, end_timestamp: integerFilter };

/** Times in milliseconds, compared with the submission time; 0 = no bound. */
export const drawingListQuerySchema = pageFromZeroSchema.and(
  z.object({ channel_id: integerFilter, mj_id: text, status: text, action: text, ...times }),
);
export type DrawingListQuery = z.output<typeof drawingListQuerySchema>;

/** As for drawings, with times in seconds. */
export const taskListQuerySchema = pageFromZeroSchema.and(
  z.object({ channel_id: integerFilter, task_id: text, platform: text, status: text, action: text, ...times }),
);
export type TaskListQuery = z.output<typeof taskListQuerySchema>;
