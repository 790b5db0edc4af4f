import { completionTokensOf, optionalTokenCounts, type Usage, wholePromptOf } from '@tollgate/contracts';
import type { JsonObject } from './adapter.js';
import { arrayOf, isObject, objectOf } from './json/json.js';

/** Represents a stated value that cannot be a count. It exceeds every bound, so that the plausibility check rejects the usage. */
const NONSENSE = Infinity;

/**
 * Reads a count. Upstreams send numbers of all kinds; only non-negative safe ones count, without their fraction. `undefined` when none is
 * stated.
 */
function count(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const whole = typeof value === 'number' ? Math.trunc(value) : NONSENSE;
  return whole >= 0 && Number.isSafeInteger(whole) ? whole : NONSENSE;
}

/** The first valid count; nonsense only if all stated values are. */
function first(...values: unknown[]): number | undefined {
  let nonsense: number | undefined;
  for (const value of values) {
    const stated = count(value);
    if (stated === undefined) continue;
    if (stated !== NONSENSE) return stated;
    nonsense = stated;
  }
  return nonsense;
}

const NO_COUNTS: ReadonlySet<string> = new Set(['semantics', 'pictures', 'searches']);

/** Whether every token count of a usage is a valid count; optional ones may be absent. */
export function areCounts(usage: Usage): boolean {
  for (const name in usage) {
    const tokens = usage[name as keyof Usage];
    if (tokens === undefined || NO_COUNTS.has(name)) continue;
    if (!(Number.isSafeInteger(tokens) && Number(tokens) >= 0)) return false;
  }
  return true;
}

/** How a channel type's usage differs from OpenAI's. */
export interface UsageQuirks {
  /** xAI excludes reasoning from its completion count, so the output is total minus prompt. */
  outputIsTotalMinusPrompt?: boolean;
  /** For embeddings: a missing output count means zero. */
  hasNoOutput?: boolean;
}

/** The output count; `undefined` if neither it nor a total is stated. */
function outputCount(block: JsonObject, quirks: UsageQuirks): number | undefined {
  const total = count(block.total_tokens);
  const prompt = first(block.prompt_tokens, block.input_tokens);
  const beyondPrompt = total !== undefined && prompt !== undefined && total >= prompt ? total - prompt : undefined;
  const stated = first(block.completion_tokens, block.output_tokens);
  const outputTokens = quirks.outputIsTotalMinusPrompt && total ? (beyondPrompt ?? stated) : (stated ?? beyondPrompt);
  return outputTokens ?? (quirks.hasNoOutput ? 0 : undefined);
}

/** Cached tokens are part of the prompt; if more are stated than the prompt has, the counts are nonsense. */
function cacheCounts(block: JsonObject, details: JsonObject, prompt: number) {
  const cached = first(details.cached_tokens, block.prompt_cache_hit_tokens, block.cached_tokens) ?? 0;
  const written = first(details.cache_creation_tokens, details.cached_creation_tokens, details.cache_write_tokens) ?? 0;
  const cacheReadTokens = Math.min(cached, prompt);
  return { cached, cacheReadTokens, cacheWriteTokens: Math.min(written, prompt - cacheReadTokens) };
}

/**
 * Reads OpenAI's usage object and its variants. `undefined` when a count is missing, so that tokens are counted here; a stated zero is a
 * value. Upstreams include audio and image tokens in input and output; they are subtracted here, so that each token is counted once.
 */
export function openAiUsage(value: unknown, quirks: UsageQuirks = {}): Usage | undefined {
  if (!isObject(value)) return undefined;
  const prompt = first(value.prompt_tokens, value.input_tokens) ?? count(value.total_tokens);
  const completion = outputCount(value, quirks);
  if (prompt === undefined || completion === undefined) return undefined;
  const input = objectOf(value.prompt_tokens_details ?? value.input_tokens_details);
  const output = objectOf(value.completion_tokens_details ?? value.output_tokens_details);
  const { cached, ...cache } = cacheCounts(value, input, prompt);
  const media = mediaCounts(input, prompt - cache.cacheReadTokens - cache.cacheWriteTokens);
  const audioOutput = Math.min(count(output.audio_tokens) ?? 0, completion);
  return {
    semantics: 'openai',
    inputTokens: plainInput(media.plain, cached, prompt),
    ...cache,
    outputTokens: completion - audioOutput,
    reasoningTokens: detail(output.reasoning_tokens),
    imageInputTokens: detail(media.image),
    audioInputTokens: detail(media.audio),
    audioOutputTokens: detail(audioOutput),
  };
}

/** Whether a usage states no token at all, as some servers do where they know none. */
export const isZeroUsage = (usage: Usage): boolean => wholePromptOf(usage) + completionTokensOf(usage) === 0;

/** The usage of a stream after another chunk. Some servers state zeros in the last chunk, which do not take back earlier counts. */
export const laterUsage = (stated: Usage | undefined, earlier: Usage | undefined): Usage | undefined =>
  stated === undefined || (earlier !== undefined && isZeroUsage(stated)) ? earlier : stated;

/** The usage of two pieces of one answer, each of which states its own. */
export const usageSum = (one: Usage, other: Usage): Usage => ({
  semantics: one.semantics,
  inputTokens: one.inputTokens + other.inputTokens,
  cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
  cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  ...Object.fromEntries(optionalTokenCounts.map((name) => [name, detailSum(one[name], other[name])])),
});

const detailSum = (one = 0, other = 0): number | undefined => one + other || undefined;

/** The usage of a chunk or completion; Moonshot states it in the choice of the last chunk. */
export const usageIn = (json: JsonObject, quirks: UsageQuirks): Usage | undefined =>
  openAiUsage(json.usage, quirks) ?? openAiUsage(objectOf(arrayOf(json.choices)[0]).usage, quirks);

const plainInput = (plain: number, cached: number, prompt: number): number => (cached > prompt ? NONSENSE : plain);

/** Audio and image tokens of the uncached prompt, and the remaining text tokens. Details that exceed the prompt are cut to it. */
function mediaCounts(details: JsonObject, uncached: number): { audio: number; image: number; plain: number } {
  const audio = Math.min(count(details.audio_tokens) ?? 0, uncached);
  const image = Math.min(count(details.image_tokens) ?? 0, uncached - audio);
  return { audio, image, plain: uncached - audio - image };
}

/** A detail of zero is not shown. */
const detail = (value: unknown): number | undefined => count(value) || undefined;

/** Anthropic spreads its counts over several events: a count that a later event omits keeps its earlier value. */
export function anthropicUsage(value: unknown, earlier?: Usage): Usage | undefined {
  if (!isObject(value)) return earlier;
  const known = [value.input_tokens, value.output_tokens, value.cache_read_input_tokens].some(
    (item) => count(item) !== undefined,
  );
  if (!known) return earlier;
  // Some servers state the prompt as 0 in the closing event; the opening event's count is then used.
  const positive = (item: unknown, before: number | undefined): number => count(item) || (before ?? 0);
  return {
    semantics: 'anthropic',
    inputTokens: positive(value.input_tokens, earlier?.inputTokens),
    cacheReadTokens: positive(value.cache_read_input_tokens, earlier?.cacheReadTokens),
    ...anthropicWrites(value, earlier),
    outputTokens: count(value.output_tokens) ?? earlier?.outputTokens ?? 0,
    ...anthropicSearches(value, earlier),
  };
}

/** Web searches that Claude ran; cumulative, like the token counts. */
function anthropicSearches(block: JsonObject, earlier?: Usage): Pick<Usage, 'searches'> {
  const reported = count(objectOf(block.server_tool_use).web_search_requests) ?? 0;
  const web = Math.max(Number.isSafeInteger(reported) ? reported : 0, earlier?.searches?.web ?? 0);
  return web > 0 ? { searches: { web } } : {};
}

/**
 * The total is stated beside counts per cache lifetime; some servers state only one of both. More one-hour tokens than the total are
 * nonsense.
 */
function anthropicWrites(block: JsonObject, earlier?: Usage): Pick<Usage, 'cacheWriteTokens' | 'cacheWriteHourTokens'> {
  const parts = objectOf(block.cache_creation);
  const hour = count(parts.ephemeral_1h_input_tokens) || (earlier?.cacheWriteHourTokens ?? 0);
  const sum = (count(parts.ephemeral_5m_input_tokens) ?? 0) + (count(parts.ephemeral_1h_input_tokens) ?? 0);
  const written = count(block.cache_creation_input_tokens) || sum || (earlier?.cacheWriteTokens ?? 0);
  return { cacheWriteTokens: written, ...(hour > 0 && { cacheWriteHourTokens: hour > written ? NONSENSE : hour }) };
}

/**
 * Reads the usage of a whole reply, or the closing one of a stream. It must state the output, and it or an earlier one the prompt;
 * otherwise it is not accepted as a usage.
 */
export function closingUsage(value: unknown, earlier?: Usage): Usage | undefined {
  if (!isObject(value) || count(value.output_tokens) === undefined) return undefined;
  const { input_tokens: plain, cache_read_input_tokens: read, cache_creation_input_tokens: written } = value;
  const isPromptStated = earlier !== undefined || first(plain, read, written) !== undefined;
  return isPromptStated ? anthropicUsage(value, earlier) : undefined;
}

/** The usage object for OpenAI clients. Its prompt count includes cached tokens for every upstream. */
export function toOpenAiUsage(usage: Usage): JsonObject {
  const promptTokens = wholePromptOf(usage);
  const completionTokens = completionTokensOf(usage);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cacheReadTokens,
      ...(usage.cacheWriteTokens > 0 && { cached_creation_tokens: usage.cacheWriteTokens }),
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
  };
}

/** The same counts under the names of POST /v1/responses. */
export function toResponsesUsage(usage: Usage): JsonObject {
  const block = toOpenAiUsage(usage);
  return {
    input_tokens: block.prompt_tokens,
    input_tokens_details: { cached_tokens: usage.cacheReadTokens },
    output_tokens: block.completion_tokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: block.total_tokens,
  };
}

/** The usage object for Anthropic clients. Its input count excludes cached tokens. */
export function toAnthropicUsage(usage: Usage): JsonObject {
  const { cacheWriteHourTokens: hour = 0, imageInputTokens = 0, audioInputTokens = 0, audioOutputTokens = 0 } = usage;
  return {
    input_tokens: usage.inputTokens + imageInputTokens + audioInputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    ...(hour > 0 && {
      cache_creation: {
        ephemeral_5m_input_tokens: usage.cacheWriteTokens - hour,
        ephemeral_1h_input_tokens: hour,
      },
    }),
    cache_read_input_tokens: usage.cacheReadTokens,
    output_tokens: usage.outputTokens + audioOutputTokens,
  };
}
