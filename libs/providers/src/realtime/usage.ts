import type { Usage } from '@tollgate/contracts';
import type { Json } from '../adapter.js';
import { isObject, objectOf } from '../json/json.js';
import { openAiUsage } from '../usage.js';

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/**
 * Reads the usage of a `response.done`. `undefined` when none is stated, or only zeros. Cached audio counts as cached tokens instead of
 * audio, as OpenAI prices it.
 */
export function realtimeUsage(value: Json | undefined): Usage | undefined {
  if (!isObject(value)) return undefined;
  const input = objectOf(value.input_token_details);
  const cached = objectOf(input.cached_tokens_details);
  const fresh = (kind: 'audio_tokens' | 'image_tokens'): Json | undefined =>
    cached[kind] === undefined ? input[kind] : Math.max(0, numberOf(input[kind]) - numberOf(cached[kind]));
  const usage = openAiUsage({
    ...value,
    input_tokens_details: { ...input, audio_tokens: fresh('audio_tokens'), image_tokens: fresh('image_tokens') },
    output_tokens_details: value.output_token_details,
  });
  return usage && (numberOf(value.input_tokens) !== 0 || numberOf(value.output_tokens) !== 0) ? usage : undefined;
}
