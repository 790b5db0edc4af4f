import { type JsonObject, lengthOf, wordsOf } from '@tollgate/providers';
import { noUsage } from '../call/outcome.js';
import type { RequestBound } from './bound.js';

/** OpenAI's models that are charged by the character; other models are charged by the tokens of the text. */
const BY_CHARACTER = /^tts/;

/** Length in Unicode characters (code points). */
function charactersOf(json: JsonObject): number {
  const input = wordsOf(json, 'input', Infinity);
  if (typeof input !== 'string') return 0;
  return lengthOf(input) === input.length ? [...input].length : lengthOf(input);
}

/**
 * The bound of a speech request: its characters, or its tokens, of which there are at most as many as bytes. The
 * generated sound is not charged.
 */
export function speechBound(
  json: JsonObject,
  { size, models }: { size: number; models: readonly string[] },
): RequestBound {
  const prompt = { textTokens: size, imageTokens: 0, audioTokens: 0 };
  const isByCharacter = BY_CHARACTER.test(models[0] ?? '');
  const fixed = isByCharacter ? { fixed: { ...noUsage, inputTokens: charactersOf(json) } } : {};
  return { prompt, choices: 1, limit: 0, maximum: 0, minimum: 0, predicted: 0, ...fixed };
}
