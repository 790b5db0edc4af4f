import { type JsonObject, lengthOf, wordsOf } from '@tollgate/providers';
import { noUsage } from '../call/outcome.js';
import type { RequestBound } from './request-bound.js';

/** Models of OpenAI that are charged by the character; others by tokens of the text. */
const BY_CHARACTER = /^tts/;

/** Characters as Unicode counts them. */
function charactersOf(json: JsonObject): number {
  const input = wordsOf(json, 'input', Infinity);
  if (typeof input !== 'string') return 0;
  return lengthOf(input) === input.length ? [...input].length : lengthOf(input);
}

/** Text that is read out: by its characters, else by its tokens, of which there are no more than it has bytes. What is heard costs nothing more. */
export function speechBound(
  json: JsonObject,
  { size, models }: { size: number; models: readonly string[] },
): RequestBound {
  const prompt = { textTokens: size, imageTokens: 0, audioTokens: 0 };
  const isByCharacter = BY_CHARACTER.test(models[0] ?? '');
  const fixed = isByCharacter ? { fixed: { ...noUsage, inputTokens: charactersOf(json) } } : {};
  return { prompt, choices: 1, limit: 0, maximum: 0, minimum: 0, predicted: 0, ...fixed };
}
