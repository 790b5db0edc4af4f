import type { Usage } from '@tollgate/contracts';
import type { JsonObject } from '../adapter.js';
import { isObject } from '../json/json.js';
import { openAiUsage } from '../usage.js';
import { field, listAt } from './fields.js';

const add = (...values: unknown[]): unknown => {
  const stated = values.filter((value) => value !== undefined && value !== null);
  return stated.every((value) => typeof value === 'number')
    ? stated.reduce<number>((sum, value) => sum + value, 0)
    : stated.find((value) => typeof value !== 'number');
};

/** Tokens of one kind, as the lists of details state them. */
const ofKind = (block: JsonObject, list: string, kind: string): unknown =>
  add(
    ...listAt(block, list)
      .filter(({ modality }) => modality === kind)
      .map((item) => field(item, 'tokenCount')),
  );

/** Cached media are cached tokens and no media any more. */
const uncached = (block: JsonObject, kind: string): unknown => {
  const all = ofKind(block, 'promptTokensDetails', kind);
  const cached = ofKind(block, 'cacheTokensDetails', kind);
  return typeof all === 'number' && typeof cached === 'number' ? Math.max(0, all - cached) : all;
};

/** What each picture of an answer counts for where no output is stated. */
const PICTURE_TOKENS = 258;

/**
 * Gemini's `usageMetadata`. The prompt is what was sent and what its own tools put into it, cached tokens included; the output is the
 * candidates and the thoughts, which is what the total has beyond the prompt where they are not stated; where that is nothing either, the pictures that came count.
 * Undefined when it states no prompt.
 */
export function geminiUsage(value: unknown, pictures = 0): Usage | undefined {
  if (!isObject(value)) return undefined;
  const prompt = field(value, 'promptTokenCount');
  if (prompt === undefined) return undefined;
  const thoughts = field(value, 'thoughtsTokenCount');
  const candidates = field(value, 'candidatesTokenCount');
  const total = field(value, 'totalTokenCount');
  const output = candidates === undefined ? undefined : (add(candidates, thoughts) as number);
  const isStated = Boolean(output) || (typeof total === 'number' && typeof prompt === 'number' && total > prompt);
  return openAiUsage({
    prompt_tokens: add(prompt, field(value, 'toolUsePromptTokenCount')) as number,
    completion_tokens: pictures > 0 && !isStated ? pictures * PICTURE_TOKENS : output,
    total_tokens: total,
    prompt_tokens_details: {
      cached_tokens: field(value, 'cachedContentTokenCount'),
      audio_tokens: uncached(value, 'AUDIO') as number,
      image_tokens: uncached(value, 'IMAGE') as number,
    },
    completion_tokens_details: {
      reasoning_tokens: thoughts,
      audio_tokens: ofKind(value, 'candidatesTokensDetails', 'AUDIO') as number,
    },
  });
}

/** The block a Gemini client reads: its prompt includes the cache, and thoughts stand apart from the candidates. */
export function toGeminiUsage(usage: Usage): JsonObject {
  const { imageInputTokens = 0, audioInputTokens = 0, audioOutputTokens = 0, reasoningTokens = 0 } = usage;
  const { cacheReadTokens, cacheWriteTokens } = usage;
  const prompt = usage.inputTokens + cacheReadTokens + cacheWriteTokens + imageInputTokens + audioInputTokens;
  const output = usage.outputTokens + audioOutputTokens;
  const thoughts = Math.min(reasoningTokens, output);
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: output - thoughts,
    totalTokenCount: prompt + output,
    ...(cacheReadTokens > 0 && { cachedContentTokenCount: cacheReadTokens }),
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
  };
}
