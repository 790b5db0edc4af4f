import type { Usage } from '@tollgate/contracts';
import { completionTokensOf } from '@tollgate/contracts';
import type { RequestBound } from './request-bound.js';
import { chargedSearches } from './searches.js';

/** The most that an upstream can truly have used for a request, in tokens. */
export interface UsageLimits {
  prompt: number;
  /** Of the prompt, as sound: there may be some in pictures that move, and none in text. */
  audio: number;
  output: number;
}

export interface Exchanged {
  /** Bytes that were sent beyond the client's own: what the channel puts in. */
  addedBytes: number;
  /** Bytes that came back. */
  receivedBytes: number;
  /** Tokens of one answer that the upstream was told to keep to, where we told it. */
  outputLimit?: number | undefined;
  /** Sound has a price of its own: what is put before the client's words may be spoken. */
  hears?: boolean;
}

/**
 * What a chat template, a provider's rules for tools and a system prompt of its own add, cached or not. Claude's rules are some 600 tokens;
 * resellers put whole system prompts before what they are asked.
 */
export const TEMPLATE_TOKENS = 4096;

/**
 * No tokenizer makes more tokens of a text than it has bytes, so the prompt is bounded by what was sent and its media, and what was said by
 * what was received. Reasoning may be kept from us; for it the client's limit, or else the model's, is allowed beside.
 */
export function usageLimits(
  { prompt, choices, limit, maximum, predicted, stated = 0, searched = 0 }: RequestBound,
  { addedBytes, receivedBytes, outputLimit = Infinity, hears = false }: Exchanged,
): UsageLimits {
  const hidden = choices * Math.min(limit || maximum, outputLimit) + predicted;
  return {
    prompt:
      prompt.textTokens +
      prompt.imageTokens +
      Math.max(prompt.audioTokens, stated) +
      searched +
      addedBytes +
      TEMPLATE_TOKENS,
    audio: Math.max(prompt.audioTokens, stated) + prompt.imageTokens + addedBytes + (hears ? TEMPLATE_TOKENS : 0),
    // An embedding has no output, and pictures have more bytes than tokens.
    output: maximum === 0 || prompt.pictures ? hidden : receivedBytes + hidden,
  };
}

/** Whether every number of a usage is one, and none is above what can be true. */
export function isPlausible(usage: Usage, limits: UsageLimits): boolean {
  const { semantics: _, pictures: _pictures, searches: _searches, ...counts } = usage;
  if (!Object.values(counts).every((tokens) => Number.isSafeInteger(tokens) && tokens >= 0)) return false;
  if ((usage.audioInputTokens ?? 0) > limits.audio) return false;
  return promptOf(usage) <= limits.prompt && completionTokensOf(usage) <= limits.output;
}

/**
 * What is dearer is paid for only where the request asked for it: without that, writes to an hour's cache count as plain ones, and searches that
 * a channel puts in are its operator's.
 */
export function asAsked(usage: Usage, bound: Pick<RequestBound, 'prompt' | 'isSearched'>): Usage {
  const { hourCache = false, searches: held } = bound.prompt;
  if ((hourCache || usage.cacheWriteHourTokens === undefined) && (usage.searches ?? held) === undefined) return usage;
  const { cacheWriteHourTokens: hour, searches, ...plain } = usage;
  return {
    ...plain,
    ...(hourCache && hour !== undefined && { cacheWriteHourTokens: hour }),
    ...chargedSearches(searches, bound),
  };
}

/** All tokens of the prompt, each once, whatever the upstream's habit is of counting cached ones. */
const promptOf = (usage: Usage): number =>
  usage.inputTokens +
  usage.cacheReadTokens +
  usage.cacheWriteTokens +
  (usage.imageInputTokens ?? 0) +
  (usage.audioInputTokens ?? 0);
