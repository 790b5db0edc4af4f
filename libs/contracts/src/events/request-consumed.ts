import { z } from 'zod';
import { defineEvent } from './define-event.js';

const count = z.int().nonnegative();

/**
 * Tokens of one request, each counted once: `inputTokens` excludes cached ones whatever the upstream's own habit is,
 * `outputTokens` includes reasoning. `semantics` remembers that habit: OpenAI's prompt count includes cached tokens, Anthropic's does not.
 */
export const usageSchema = z.object({
  semantics: z.enum(['openai', 'anthropic']),
  inputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  outputTokens: count,
  reasoningTokens: count.optional(),
  imageInputTokens: count.optional(),
  audioInputTokens: count.optional(),
  audioOutputTokens: count.optional(),
});
export type Usage = z.infer<typeof usageSchema>;

/** The prompt count as the upstream states it: with cached tokens for OpenAI, without for Anthropic; media included. */
export function promptTokensOf(usage: Usage): number {
  const plain = usage.inputTokens + (usage.imageInputTokens ?? 0) + (usage.audioInputTokens ?? 0);
  return usage.semantics === 'openai' ? plain + usage.cacheReadTokens + usage.cacheWriteTokens : plain;
}

export const completionTokensOf = (usage: Usage): number => usage.outputTokens + (usage.audioOutputTokens ?? 0);

/** One term of the price: units × ratio, before the model and group ratios. `call` stands for a fixed price. */
export const ratingLineSchema = z.object({
  item: z.enum(['input', 'cache-read', 'cache-write', 'output', 'image-input', 'audio-input', 'audio-output', 'call']),
  units: count,
  ratio: z.number(),
});

/** The numbers of the price version that rated the request; `modelPrice` is USD per call, −1 when priced by ratio. */
export const appliedPriceSchema = z.object({
  modelRatio: z.number(),
  completionRatio: z.number(),
  groupRatio: z.number(),
  cacheRatio: z.number(),
  cacheCreationRatio: z.number(),
  modelPrice: z.number(),
  quotaPerUnit: z.number(),
  imageRatio: z.number().optional(),
  audioRatio: z.number().optional(),
  audioCompletionRatio: z.number().optional(),
});
export type AppliedPrice = z.infer<typeof appliedPriceSchema>;

/** Why an attempt failed, judged on the upstream's original status. `credential` is evidence for an automatic disable. */
export const attemptClassSchema = z.enum([
  'ok',
  'credential',
  'rate-limited',
  'invalid',
  'upstream',
  'network',
  'timeout',
]);

export const attemptSchema = z.object({
  channelId: z.int().positive(),
  channelType: z.int().nonnegative(),
  class: attemptClassSchema,
  /** The upstream's own status before any mapping; 0 when it never answered. */
  status: z.int().nonnegative(),
  errorCode: z.string().optional(),
  errorType: z.string().optional(),
  /** Masked: no address, key or organisation of the upstream. */
  message: z.string().optional(),
  durationMs: count,
});
export type Attempt = z.infer<typeof attemptSchema>;

export const requestConsumed = defineEvent({
  name: 'request-consumed',
  summary: 'Relay finished a request, charged or not. The event id is the request id, minted at admission.',
  version: 1,
  partitions: 12,
  key: (data) => String(data.userId),
  data: z.object({
    userId: z.int().positive(),
    tokenId: z.int().nonnegative(), // 0 = playground
    channelId: z.int().nonnegative(), // 0 = none was reached
    /** The requested name: prices, limits and logs use it. */
    model: z.string(),
    /** What was sent upstream, when a mapping changed the name. */
    upstreamModel: z.string().optional(),
    /** The effective group of the request. */
    group: z.string(),
    endpoint: z.enum([
      'chat',
      'messages',
      'embeddings',
      'completions',
      'images',
      'audio',
      'rerank',
      'moderations',
      'responses',
      'realtime',
    ]),
    usage: usageSchema,
    usageSource: z.enum(['upstream', 'estimated']),
    priceVersion: z.string(),
    price: appliedPriceSchema,
    rating: z.array(ratingLineSchema),
    quota: z.int().nonnegative(), // 0 is booked too
    outcome: z.enum(['completed', 'client_abort', 'upstream_cut', 'interrupted', 'failed']),
    attempts: z.array(attemptSchema),
    /** What a failed request answered; `status` is the client's. */
    error: z.object({ status: z.int(), code: z.string(), type: z.string().optional(), message: z.string() }).optional(),
    replicaEpoch: z.string(),
    isStream: z.boolean(),
    startedAt: z.iso.datetime(),
    durationMs: count,
    firstTokenMs: count.optional(),
    reasoningEffort: z.string().optional(),
  }),
});
export type RequestConsumed = z.output<typeof requestConsumed.data>;
