import { z } from 'zod';
import { abortPolicies } from '../channel-settings.js';
import { defineEvent } from './define-event.js';
import { type GeneralWord, inGeneralWords } from './general-words.js';
import { type Limits, withinLimits } from './limits.js';

const count = z.int().nonnegative();
/** Of a table's integer column: a larger number could be stored by nobody. */
const MAX_INT4 = 2_147_483_647;
const rowId = z.int().nonnegative().max(MAX_INT4);

/**
 * The most of each text a record carries, in UTF-16 units of at most three bytes each. Together with the numbers they bound the
 * serialised event by `MAX_CONSUMPTION_BYTES`, whatever a client or an upstream says.
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
/** More than the largest number of retries an operator may set; of more attempts the first and the last ones are kept. */
export const MAX_ATTEMPTS = 16;
/** Of the whole event as it lies in spool and log. */
export const MAX_CONSUMPTION_BYTES = 32 * 1024;

/** The pictures of one request, as they were asked for. */
export const picturesSchema = z.object({
  count: count.positive(),
  /** Width × height as clients write it, e.g. `1024x1792`. */
  size: z.string().max(limits.usage.pictures.size),
  quality: z.string().max(limits.usage.pictures.quality),
  /** The upstream stated their tokens, which then count for a model that is priced by ratio. */
  byTokens: z.boolean().optional(),
});
export type Pictures = z.infer<typeof picturesSchema>;

/** Searches that the upstream made, which are charged by the call. */
export const searchesSchema = z.object({
  web: count.optional(),
  /** How much of what was found goes into the prompt. */
  webContext: z.enum(['low', 'medium', 'high']).optional(),
  file: count.optional(),
  /** Queries of Google's own tool, which have a price of their own. */
  google: count.optional(),
});
export type Searches = z.infer<typeof searchesSchema>;

/**
 * Tokens of one request, each counted once: `inputTokens` excludes cached ones whatever the upstream's own habit is,
 * `outputTokens` includes reasoning. `semantics` remembers that habit: OpenAI's prompt count includes cached tokens, Anthropic's does not.
 */
export const usageSchema = z.object({
  semantics: z.enum(['openai', 'anthropic']),
  inputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  /** Of `cacheWriteTokens` those that are kept for an hour: dearer than the others, which are kept for five minutes. */
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

/** Every count of tokens in a usage. */
export type TokenCount = Exclude<keyof Usage, 'semantics' | 'pictures' | 'searches'>;
type OptionalTokenCount = Exclude<TokenCount, 'inputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'outputTokens'>;

/** Those that most requests do not have; the compiler names one that is missing here. */
export const optionalTokenCounts = Object.keys({
  cacheWriteHourTokens: true,
  reasoningTokens: true,
  imageInputTokens: true,
  audioInputTokens: true,
  audioOutputTokens: true,
} satisfies Record<OptionalTokenCount, true>) as readonly OptionalTokenCount[];

/** The prompt count as the upstream states it: with cached tokens for OpenAI, without for Anthropic; media included. */
export function promptTokensOf(usage: Usage): number {
  const plain = usage.inputTokens + (usage.imageInputTokens ?? 0) + (usage.audioInputTokens ?? 0);
  return usage.semantics === 'openai' ? plain + usage.cacheReadTokens + usage.cacheWriteTokens : plain;
}

export const completionTokensOf = (usage: Usage): number => usage.outputTokens + (usage.audioOutputTokens ?? 0);

/**
 * `quota_exhausted`: a stream that ended because nothing was left to pay for more of it; `sensitive_words`: a reply that was ended, or kept from
 * its client, because it says a word of the operator's list.
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

/** `requested`: what was asked for decides, such as the number of pictures, whatever the upstream says or does not say. */
export const usageSourceSchema = z.enum(['upstream', 'estimated', 'requested']);

/** What becomes of a reply whose client left: cut, read on within bounds, or taken as far as the upstream reports. */
export const abortPolicySchema = z.enum(abortPolicies);

/** `implausible`: more than the request, its media and the bytes received allow; `unrateable`: no quota can hold it. */
export const usageDoubtSchema = z.enum(['implausible', 'unrateable']);

/** What a price version says about one model and group; `modelPrice` is USD per call, −1 when priced by ratio. */
export interface AppliedPrice {
  modelRatio: number;
  completionRatio: number;
  groupRatio: number;
  cacheRatio: number;
  cacheCreationRatio: number;
  modelPrice: number;
  quotaPerUnit: number;
  /** Where the group of the user has a ratio of its own in the group of the request: that, which `groupRatio` is then, too. */
  userGroupRatio?: number;
  imageRatio?: number;
  audioRatio?: number;
  audioCompletionRatio?: number;
  /** Quality `hd` of its pictures costs more. */
  hdPictures?: boolean;
  /** USD for a thousand web searches, by the size of their context. */
  webSearch?: Readonly<Record<'low' | 'medium' | 'high', number>>;
  /** USD for a thousand searches in files. */
  fileSearch?: number;
  /** USD for a thousand queries of Google's own tool. */
  googleSearch?: number;
}

/** Why an attempt failed, by the upstream's original status. `credential` is evidence for an automatic disable. */
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
 * The `errorType` of a refusal that no request can provoke: the upstream refused the channel's own key, or has no account to work with. It
 * needs no second witness where no probe can be sent.
 */
export const CHANNEL_ACCOUNT_UNUSABLE = 'channel_account_unusable';

export const attemptSchema = z.object({
  channelId: rowId.positive(),
  channelType: rowId,
  /** Which of several keys the channel was called with. */
  keyId: z.string().max(limits.attempts.keyId).optional(),
  class: attemptClassSchema,
  /** The upstream's own status before any mapping; 0 when it never answered. */
  status: rowId,
  errorCode: z.string().max(limits.attempts.errorCode).optional(),
  errorType: z.string().max(limits.attempts.errorType).optional(),
  /** Masked: no address, key or organisation of the upstream. */
  message: z.string().max(limits.attempts.message).optional(),
  durationMs: count.max(MAX_INT4),
});
export type Attempt = z.infer<typeof attemptSchema>;

/** Every text cut to its limit, and no more attempts than a record may have. */
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

/** None of them changes what is booked, nor speaks against a channel or its key. */
const GENERAL_WORDS: Readonly<Record<string, GeneralWord>> = {
  endpoint: [endpointSchema, 'chat'],
  usageSource: [usageSourceSchema, 'estimated'],
  usageDoubt: [usageDoubtSchema, 'implausible'],
  abortPolicy: [abortPolicySchema, 'reported'],
  // Only what answered an error and cost nothing was not served.
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
  // Version 1 also carried the numbers of the price and the terms of the sum; both follow from usage and price version.
  upcast: withinBounds,
  understood,
  data: z.object({
    userId: rowId.positive(),
    tokenId: rowId, // 0 = playground
    channelId: rowId, // 0 = none was reached
    /** The requested name: prices, limits and logs use it. */
    model: z.string().max(limits.model),
    /** What was sent upstream, when a mapping changed the name. */
    upstreamModel: z.string().max(limits.upstreamModel).optional(),
    /** The effective group of the request. */
    group: z.string().max(limits.group),
    /** The group of the user, where that gives the group of the request another ratio. */
    userGroup: z.string().max(limits.userGroup).optional(),
    endpoint: endpointSchema,
    /** What was handed to the upstream to work on; its id is empty where the upstream gives none. */
    task: z
      .object({ action: z.string().max(limits.task.action), upstreamId: z.string().max(limits.task.upstreamId) })
      .optional(),
    /** The request that this one makes up for: its relay died, it is charged as far as it came, and this one costs nothing. */
    repeats: z.uuid().optional(),
    usage: usageSchema,
    usageSource: usageSourceSchema,
    /** Why the upstream's own numbers were not believed: with the source `upstream` they are cut to the most that can be true, else estimated. */
    usageDoubt: usageDoubtSchema.optional(),
    /** With it, usage, model and groups anybody can work the charge out again. */
    priceVersion: z.string().max(limits.priceVersion),
    quota: z.int().nonnegative(), // 0 is booked too
    /** Units that were set aside for it at its end. */
    held: z.int().nonnegative().optional(),
    outcome: consumptionOutcomeSchema,
    /** By which policy a request was ended whose client had left. */
    abortPolicy: abortPolicySchema.optional(),
    attempts: z.array(attemptSchema).max(MAX_ATTEMPTS),
    /** What a failed request answered; `status` is the client's. */
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
