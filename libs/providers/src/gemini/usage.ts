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

/** Token count of one modality in a list of details. */
const ofKind = (block: JsonObject, list: string, kind: string): unknown =>
  add(
    ...listAt(block, list)
      .filter(({ modality }) => modality === kind)
      .map((item) => field(item, 'tokenCount')),
  );

/** Cached tokens are counted as cached, not as media, so they are subtracted. */
const uncached = (block: JsonObject, kind: string): unknown => {
  const all = ofKind(block, 'promptTokensDetails', kind);
  const cached = ofKind(block, 'cacheTokensDetails', kind);
  return typeof all === 'number' && typeof cached === 'number' ? Math.max(0, all - cached) : all;
};

/** Tokens per picture of an answer when the output count is not stated. */
const PICTURE_TOKENS = 258;

/** Candidates plus thoughts, or the rest of the total where that is more; `undefined` where candidates are not stated. */
function outputOf(block: JsonObject, prompt: unknown): unknown {
  const candidates = field(block, 'candidatesTokenCount');
  if (candidates === undefined) return undefined;
  const parts = add(candidates, field(block, 'thoughtsTokenCount'));
  const total = field(block, 'totalTokenCount');
  const isSum = typeof total === 'number' && typeof prompt === 'number' && typeof parts === 'number';
  return isSum ? Math.max(parts, total - prompt) : parts;
}

/**
 * Reads Gemini's `usageMetadata`. The prompt includes what its own tools added to it, and cached tokens. The output is total minus prompt,
 * but at least candidates plus thoughts; if it is zero, a fixed count per received picture. `undefined` when no prompt count is stated.
 */
export function geminiUsage(value: unknown, pictures = 0): Usage | undefined {
  if (!isObject(value)) return undefined;
  const prompt = field(value, 'promptTokenCount');
  if (prompt === undefined) return undefined;
  const thoughts = field(value, 'thoughtsTokenCount');
  const total = field(value, 'totalTokenCount');
  const wholePrompt = add(prompt, field(value, 'toolUsePromptTokenCount'));
  const output = outputOf(value, wholePrompt) as number | undefined;
  const isStated = Boolean(output) || (typeof total === 'number' && typeof prompt === 'number' && total > prompt);
  return openAiUsage({
    prompt_tokens: wholePrompt as number,
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

/** The usage for Gemini clients: the prompt includes cached tokens, and thoughts are separate from candidates. */
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
