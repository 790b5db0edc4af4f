import { z } from 'zod';
import { textLimits } from '../text-limits.js';
import { hasNoNul } from './fields.js';
import { whyEndpoints } from './why-endpoints.js';

export { whyEndpoints } from './why-endpoints.js';

/** Whole hours to look back. */
export const channelHealthQuerySchema = z.object({ hours: z.coerce.number().int().min(1).max(168).catch(24) });
export type ChannelHealthQuery = z.output<typeof channelHealthQuerySchema>;

const seconds = z.int();
const milliseconds = z.int();

/** What a decision rested on; texts are masked. */
const evidenceFields = z.object({
  status: z.int().optional(),
  error_code: z.string().optional(),
  error_type: z.string().optional(),
  message: z.string().optional(),
  /** The request of a user that failed. */
  request_id: z.string().optional(),
  model: z.string().optional(),
  response_time: milliseconds.optional(),
  balance: z.number().optional(),
  observed_at: seconds.optional(),
  /** Where no probe can be sent: how many requests of how many users told the same. */
  requests: z.int().optional(),
  users: z.int().optional(),
});
export const healthEvidenceSchema = evidenceFields.extend({ probe: evidenceFields.optional() });
export type HealthEvidence = z.infer<typeof healthEvidenceSchema>;

const healthCauses = ['manual', 'request', 'test', 'balance'] as const;
const healthOutcomes = ['moved', 'cleared', 'unproven', 'held', 'key-away', 'key-back'] as const;

export const healthStepSchema = z.object({
  id: z.int(),
  at: seconds,
  from_status: z.int(),
  to_status: z.int(),
  cause: z.enum(healthCauses),
  /** Only `moved` changed the status; `held`: the brake kept the channel on. */
  outcome: z.enum(healthOutcomes),
  reason: z.string(),
  /** 0: the system. */
  actor_id: z.int(),
  /** Empty for the system and where identity did not answer. */
  actor: z.string(),
  evidence: healthEvidenceSchema,
});
export type HealthStep = z.infer<typeof healthStepSchema>;

export const healthTestSchema = z.object({
  id: z.int(),
  at: seconds,
  model: z.string(),
  success: z.boolean(),
  time: milliseconds,
  message: z.string(),
});
export type HealthTest = z.infer<typeof healthTestSchema>;

export const healthHourSchema = z.object({
  /** Its start. */
  hour: seconds,
  requests: z.int(),
  /** Only what the channel is to blame for. */
  failures: z.int(),
  first_token_p50: milliseconds.optional(),
  first_token_p95: milliseconds.optional(),
  /** Mean of what was answered whole. */
  duration: milliseconds.optional(),
});
export type HealthHour = z.infer<typeof healthHourSchema>;

/** `GET /api/channel/:id/health`: why a channel is in its state. Lists are the newest first, and bounded. */
export const channelHealthSchema = z.object({
  id: z.int(),
  name: z.string(),
  status: z.int(),
  status_reason: z.string(),
  status_time: seconds,
  created_time: seconds,
  /** What real requests say against an enabled channel; a probe of our own decides. */
  suspicion: z
    .object({ since: seconds, reason: z.string(), probe_at: seconds, evidence: healthEvidenceSchema })
    .nullable(),
  steps: z.array(healthStepSchema),
  tests: z.array(healthTestSchema),
  /** Oldest first, hours without a request left out; null while the usage log does not answer. */
  hours: z.array(healthHourSchema).nullable(),
  from: seconds,
  to: seconds,
});
export type ChannelHealth = z.infer<typeof channelHealthSchema>;

const invalid = '无效的参数';
/** `GET /api/channel/why`. */
export const whyChannelQuerySchema = z.object({
  group: z.string(invalid).refine(hasNoNul, invalid).trim().min(1, invalid).max(textLimits.groupName.most, invalid),
  model: z.string(invalid).refine(hasNoNul, invalid).trim().min(1, invalid).max(textLimits.modelName.most, invalid),
  /** Absent: any. */
  endpoint: z.preprocess((value) => (value === '' ? undefined : value), z.enum(whyEndpoints, invalid).optional()),
  /** A channel that is explained whether or not it has anything to do with the model. */
  channel_id: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z.coerce.number().int().positive().optional(),
  ),
});
export type WhyChannelQuery = z.output<typeof whyChannelQuerySchema>;

/** What keeps every channel from being asked. */
const whyObstacles = ['unknown_group', 'unpriced_model', 'no_channel'] as const;
export type WhyObstacle = (typeof whyObstacles)[number];

/** `first`: drawn from for the first try; `retry`: only after others failed; `never`: not even then; `out`: cannot be asked. */
const whyPlaces = ['first', 'retry', 'never', 'out'] as const;
export type WhyPlace = (typeof whyPlaces)[number];

/** Those of `out` first; the last ones are remarks on a channel that can be asked. */
const whyReasons = [
  'disabled',
  'auto_disabled',
  'group',
  'model',
  'endpoint',
  'not_built',
  'mapping',
  'key',
  'keys_away',
  'lower_priority',
  'beyond_retries',
  'suspect',
  'held',
] as const;
export type WhyReason = (typeof whyReasons)[number];

export const whyChannelSchema = z.object({
  id: z.int(),
  name: z.string(),
  type: z.int(),
  status: z.int(),
  priority: z.int(),
  weight: z.int(),
  /** Of the draws among the channels of its priority, 0 to 1; 0 for one that is out. */
  share: z.number(),
  place: z.enum(whyPlaces),
  reasons: z.array(
    z.object({ code: z.enum(whyReasons), params: z.record(z.string(), z.union([z.string(), z.number()])).optional() }),
  ),
});
export type WhyChannel = z.infer<typeof whyChannelSchema>;

/** Which channels a request of the group for the model could go to, and why the others are left out. */
export const whySchema = z.object({
  group: z.string(),
  model: z.string(),
  obstacles: z.array(z.enum(whyObstacles)),
  /** Channels that one request may try: RetryTimes and one. */
  tries: z.int(),
  channels: z.array(whyChannelSchema),
  /** Of all channels that have to do with it, `channels` holds the first ones only. */
  total: z.int(),
});
export type Why = z.infer<typeof whySchema>;
