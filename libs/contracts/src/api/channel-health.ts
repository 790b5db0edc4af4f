import { z } from 'zod';
import { textLimits } from '../text-limits.js';
import { hasNoNul } from './fields.js';
import { whyEndpoints } from './why-endpoints.js';

export { whyEndpoints } from './why-endpoints.js';

/** Number of past hours to report. */
export const channelHealthQuerySchema = z.object({ hours: z.coerce.number().int().min(1).max(168).catch(24) });
export type ChannelHealthQuery = z.output<typeof channelHealthQuerySchema>;

const seconds = z.int();
const milliseconds = z.int();

/** What a decision was based on; texts are masked. */
const evidenceFields = z.object({
  status: z.int().optional(),
  error_code: z.string().optional(),
  error_type: z.string().optional(),
  message: z.string().optional(),
  /** The user's request that failed. */
  request_id: z.string().optional(),
  model: z.string().optional(),
  response_time: milliseconds.optional(),
  balance: z.number().optional(),
  observed_at: seconds.optional(),
  /** Set if no probe is possible: how many requests of how many users showed the same failure. */
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
  /** Only `moved` changed the status; `held` means that the brake kept the channel enabled. */
  outcome: z.enum(healthOutcomes),
  reason: z.string(),
  /** 0 for the system. */
  actor_id: z.int(),
  /** Empty for the system, or if identity did not answer. */
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
  /** Start of the hour. */
  hour: seconds,
  requests: z.int(),
  /** Only failures that the channel is responsible for. */
  failures: z.int(),
  first_token_p50: milliseconds.optional(),
  first_token_p95: milliseconds.optional(),
  /** Mean duration of complete answers. */
  duration: milliseconds.optional(),
});
export type HealthHour = z.infer<typeof healthHourSchema>;

/** `GET /api/channel/:id/health`: why a channel is in its state. Lists are bounded, newest first. */
export const channelHealthSchema = z.object({
  id: z.int(),
  name: z.string(),
  status: z.int(),
  status_reason: z.string(),
  status_time: seconds,
  created_time: seconds,
  /** When a channel that was switched off automatically is probed next; absent if it is not. */
  probe_at: seconds.optional(),
  /** What failed requests suggest about an enabled channel; a probe confirms or clears it. */
  suspicion: z
    .object({ since: seconds, reason: z.string(), probe_at: seconds, evidence: healthEvidenceSchema })
    .nullable(),
  steps: z.array(healthStepSchema),
  tests: z.array(healthTestSchema),
  /** Oldest first, without hours that had no request; null if the usage log did not answer. */
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
  /** Absent for any endpoint. */
  endpoint: z.preprocess((value) => (value === '' ? undefined : value), z.enum(whyEndpoints, invalid).optional()),
  /** A channel to explain even if it does not serve the model at all. */
  channel_id: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z.coerce.number().int().positive().optional(),
  ),
});
export type WhyChannelQuery = z.output<typeof whyChannelQuerySchema>;

/** Reasons that exclude every channel. */
const whyObstacles = ['unknown_group', 'unpriced_model', 'no_channel'] as const;
export type WhyObstacle = (typeof whyObstacles)[number];

/**
 * `first`: candidate for the first try; `retry`: tried only after others failed; `never`: not even then; `out`: cannot serve the request.
 */
const whyPlaces = ['first', 'retry', 'never', 'out'] as const;
export type WhyPlace = (typeof whyPlaces)[number];

/** Reasons for `out` first; the last ones are remarks on channels that can serve the request. */
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
  /** Probability of being drawn among the channels of its priority, 0 to 1; 0 for one that is out. */
  share: z.number(),
  place: z.enum(whyPlaces),
  reasons: z.array(
    z.object({ code: z.enum(whyReasons), params: z.record(z.string(), z.union([z.string(), z.number()])).optional() }),
  ),
});
export type WhyChannel = z.infer<typeof whyChannelSchema>;

/** The channels that could serve a request of the group for the model, and why the others are left out. */
export const whySchema = z.object({
  group: z.string(),
  model: z.string(),
  obstacles: z.array(z.enum(whyObstacles)),
  /** Number of channels that one request may try: RetryTimes plus one. */
  tries: z.int(),
  channels: z.array(whyChannelSchema),
  /** Number of all related channels; `channels` holds only the first of them. */
  total: z.int(),
});
export type Why = z.infer<typeof whySchema>;
