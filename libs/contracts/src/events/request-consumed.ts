import { z } from 'zod';
import { abortPolicies } from '../channel-settings.js';
import { defineEvent } from './define-event.js';
import { type GeneralWord, inGeneralWords } from './general-words.js';
import { type Limits, withinLimits } from './limits.js';

const count = z.int().nonnegative();
/** Limit of integer columns; a larger number could not be stored. */
const MAX_INT4 = 2_147_483_647;
const rowId = z.int().nonnegative().max(MAX_INT4);

/**
 * Length limits of the texts, in UTF-16 code units of at most three bytes each. Together with the numbers they bound the serialised event
 * by `MAX_CONSUMPTION_BYTES`, whatever clients and upstreams send.
 */
const consumptionLimits = {
  model: 256,
  upstreamModel: 256,
  group: 128,
  userGroup: 128,
  priceVersion: 64,
  replicaEpoch: 64,
  reasoningEffort: 32,
  usage: { pictures: { size: 32, quality: 16 } },
  error: { code: 128, type: 128, message: 1000 },
  task: { action: 40, upstreamId: 128 },
  attempts: { keyId: 16, errorCode: 64, errorType: 64, message: 256 },
} as const satisfies Limits;
const limits = consumptionLimits;
/** Above the largest number of retries that can be configured; if there are more attempts, the first and last ones are kept. */
export const MAX_ATTEMPTS = 16;
/** Limit for the whole event as stored in spool and log. */
export const MAX_CONSUMPTION_BYTES = 32 * 1024;

/** The pictures of one request, as requested. */
export const picturesSchema = z.object({
  count: count.positive(),
  /** Width × height as written by clients, e.g. `1024x1792`. */
  size: z.string().max(limits.usage.pictures.size),
  quality: z.string().max(limits.usage.pictures.quality),
  /** The upstream stated token counts, by which models priced by ratio are then charged. */
  byTokens: z.boolean().optional(),
});
export type Pictures = z.infer<typeof picturesSchema>;

/** Searches that the upstream made, charged per call. */
export const searchesSchema = z.object({
  web: count.optional(),
  /** How much of the results goes into the prompt. */
  webContext: z.enum(['low', 'medium', 'high']).optional(),
  file: count.optional(),
  /** Queries of Google's own tool, which have a separate price. */
  google: count.optional(),
});
export type Searches = z.infer<typeof searchesSchema>;

/**
 * Tokens of one request, each counted once: `inputTokens` excludes cached ones for every upstream, and `outputTokens` includes reasoning.
 * `semantics` records how the upstream counts: OpenAI's prompt count includes cached tokens, Anthropic's does not.
 */
export const usageSchema = z.object({
  semantics: z.enum(['openai', 'anthropic']),
  inputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  /** The part of `cacheWriteTokens` that is cached for an hour, which costs more than the usual five minutes. */
  cacheWriteHourTokens: count.optional(),
  outputTokens: count,
  reasoningTokens: count.optional(),
  imageInputTokens: count.optional(),
  audioInputTokens: count.optional(),
  audioOutputTokens: count.optional(),
  pictures: picturesSchema.optional(),
  searches: searchesSchema.optional(),
});
export type Usage = z.infer<typeof usageSchema>;

/** The token counts of a usage. */
export type TokenCount = Exclude<keyof Usage, 'semantics' | 'pictures' | 'searches'>;
type OptionalTokenCount = Exclude<TokenCount, 'inputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'outputTokens'>;

/** Token counts that most requests do not have; the compiler reports one that is missing here. */
export const optionalTokenCounts = Object.keys({
  cacheWriteHourTokens: true,
  reasoningTokens: true,
  imageInputTokens: true,
  audioInputTokens: true,
  audioOutputTokens: true,
} satisfies Record<OptionalTokenCount, true>) as readonly OptionalTokenCount[];

/** The prompt count as the upstream states it: with cached tokens for OpenAI, without for Anthropic; including media. */
export function promptTokensOf(usage: Usage): number {
  const plain = usage.inputTokens + (usage.imageInputTokens ?? 0) + (usage.audioInputTokens ?? 0);
  return usage.semantics === 'openai' ? plain + usage.cacheReadTokens + usage.cacheWriteTokens : plain;
}

/** All tokens of the prompt, each counted once, however the upstream counts. */
export const wholePromptOf = (usage: Usage): number =>
  usage.inputTokens +
  usage.cacheReadTokens +
  usage.cacheWriteTokens +
  (usage.imageInputTokens ?? 0) +
  (usage.audioInputTokens ?? 0);

export const completionTokensOf = (usage: Usage): number => usage.outputTokens + (usage.audioOutputTokens ?? 0);

/**
 * `quota_exhausted`: a stream was ended because the quota was used up. `sensitive_words`: a reply was ended or withheld because it
 * contained a word of the operator's list.
 */
export const consumptionOutcomeSchema = z.enum([
  'completed',
  'client_abort',
  'upstream_cut',
  'quota_exhausted',
  'sensitive_words',
  'interrupted',
  'failed',
]);

/** `requested`: the charge depends on the request, such as the number of pictures, and not on what the upstream states. */
export const usageSourceSchema = z.enum(['upstream', 'estimated', 'requested']);

/** What happens to a running reply after its client has left: cut, read on within bounds, or charged as far as the upstream reports. */
export const abortPolicySchema = z.enum(abortPolicies);

/** `implausible`: more than the request, its media and the received bytes allow; `unrateable`: larger than any quota. */
export const usageDoubtSchema = z.enum(['implausible', 'unrateable']);

/** The price of one model for one group by a price version; `modelPrice` is USD per call, −1 if priced by ratio. */
export interface AppliedPrice {
  modelRatio: number;
  completionRatio: number;
  groupRatio: number;
  cacheRatio: number;
  cacheCreationRatio: number;
  modelPrice: number;
  quotaPerUnit: number;
  /** The special ratio of the user's group in the request's group, if there is one; `groupRatio` then has the same value. */
  userGroupRatio?: number;
  imageRatio?: number;
  audioRatio?: number;
  audioCompletionRatio?: number;
  /** Pictures with quality `hd` cost more. */
  hdPictures?: boolean;
  /** USD per thousand web searches by context size. */
  webSearch?: Readonly<Record<'low' | 'medium' | 'high', number>>;
  /** USD per thousand file searches. */
  fileSearch?: number;
  /** USD per thousand queries of Google's own tool. */
  googleSearch?: number;
}

/** Why an attempt failed, by the upstream's original status. `credential` is evidence for disabling the channel automatically. */
export const attemptClassSchema = z.enum([
  'ok',
  'credential',
  'rate-limited',
  'invalid',
  'upstream',
  'network',
  'timeout',
]);

/**
 * The `errorType` of failures that no request can provoke: the upstream refused the channel's own key, or its account is unusable. If no
 * probe can be sent, one such failure is sufficient evidence.
 */
export const CHANNEL_ACCOUNT_UNUSABLE = 'channel_account_unusable';

export const attemptSchema = z.object({
  channelId: rowId.positive(),
  channelType: rowId,
  /** Id of the key that was used, for a channel with several. */
  keyId: z.string().max(limits.attempts.keyId).optional(),
  class: attemptClassSchema,
  /** The upstream's own status before any mapping; 0 if it did not answer. */
  status: rowId,
  errorCode: z.string().max(limits.attempts.errorCode).optional(),
  errorType: z.string().max(limits.attempts.errorType).optional(),
  /** Masked: contains no address, key or organization of the upstream. */
  message: z.string().max(limits.attempts.message).optional(),
  durationMs: count.max(MAX_INT4),
});
export type Attempt = z.infer<typeof attemptSchema>;

/** The data with every text cut to its limit and the number of attempts limited. */
function withinBounds<T>(data: T): T {
  const cut = withinLimits(data, limits);
  const { attempts } = cut as { attempts?: unknown };
  if (!Array.isArray(attempts) || attempts.length <= MAX_ATTEMPTS) return cut;
  const kept = MAX_ATTEMPTS / 2;
  return { ...cut, attempts: [...attempts.slice(0, kept), ...attempts.slice(-kept)] };
}

const endpointSchema = z.enum([
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
  'task',
]);

/** The general values affect neither the charge nor the health of a channel or key. */
const GENERAL_WORDS: Readonly<Record<string, GeneralWord>> = {
  endpoint: [endpointSchema, 'chat'],
  usageSource: [usageSourceSchema, 'estimated'],
  usageDoubt: [usageDoubtSchema, 'implausible'],
  abortPolicy: [abortPolicySchema, 'reported'],
  // A failed outcome is assumed only for a request that answered an error and cost nothing.
  outcome: [
    consumptionOutcomeSchema,
    ({ error, quota }) => (error !== undefined && quota === 0 ? 'failed' : 'interrupted'),
  ],
};
const GENERAL_CLASS: Readonly<Record<string, GeneralWord>> = { class: [attemptClassSchema, 'invalid'] };

function understood(data: unknown): unknown {
  const general = inGeneralWords(data, GENERAL_WORDS);
  const attempts = (general as { attempts?: unknown } | null)?.attempts;
  if (!Array.isArray(attempts)) return general;
  return { ...(general as object), attempts: attempts.map((attempt) => inGeneralWords(attempt, GENERAL_CLASS)) };
}

export const requestConsumed = defineEvent({
  name: 'request-consumed',
  summary: 'Relay finished a request, charged or not. The event id is the request id, minted at admission.',
  version: 2,
  partitions: 12,
  key: (data) => String(data.userId),
  bound: withinBounds,
  // Version 1 also contained the numbers of the price and the terms of the sum; both can be derived from usage and price version.
  upcast: withinBounds,
  understood,
  data: z.object({
    userId: rowId.positive(),
    tokenId: rowId, // 0 = playground
    channelId: rowId, // 0 = none was reached
    /** The administrator's key named the channel, so no other one was tried. */
    isChannelNamed: z.literal(true).optional(),
    /** The requested name, which is used for prices, limits and logs. */
    model: z.string().max(limits.model),
    /** The name sent upstream, if a mapping changed it. */
    upstreamModel: z.string().max(limits.upstreamModel).optional(),
    /** The effective group of the request. */
    group: z.string().max(limits.group),
    /** The user's group, if it has a special ratio in the request's group. */
    userGroup: z.string().max(limits.userGroup).optional(),
    endpoint: endpointSchema,
    /** The task submitted to the upstream; its id is empty if the upstream returns none. */
    task: z
      .object({ action: z.string().max(limits.task.action), upstreamId: z.string().max(limits.task.upstreamId) })
      .optional(),
    /** The request that this one makes up for: its relay died, it is charged as far as it came, and this one is free. */
    repeats: z.uuid().optional(),
    usage: usageSchema,
    usageSource: usageSourceSchema,
    /** Why the upstream's numbers were rejected. With source `upstream` they were cut to the largest plausible values, else estimated. */
    usageDoubt: usageDoubtSchema.optional(),
    /** Together with usage, model and groups, the charge can be recalculated from it. */
    priceVersion: z.string().max(limits.priceVersion),
    quota: z.int().nonnegative(), // 0 is booked too
    /** Units held when the request ended. */
    held: z.int().nonnegative().optional(),
    outcome: consumptionOutcomeSchema,
    /** The policy that was applied because the client had left. */
    abortPolicy: abortPolicySchema.optional(),
    attempts: z.array(attemptSchema).max(MAX_ATTEMPTS),
    /** The reply of a failed request; `status` is the one sent to the client. */
    error: z
      .object({
        status: rowId,
        code: z.string().max(limits.error.code),
        type: z.string().max(limits.error.type).optional(),
        message: z.string().max(limits.error.message),
      })
      .optional(),
    replicaEpoch: z.string().max(limits.replicaEpoch),
    isStream: z.boolean(),
    startedAt: z.iso.datetime(),
    durationMs: count.max(MAX_INT4),
    firstTokenMs: count.max(MAX_INT4).optional(),
    reasoningEffort: z.string().max(limits.reasoningEffort).optional(),
  }),
});
export type RequestConsumed = z.output<typeof requestConsumed.data>;
