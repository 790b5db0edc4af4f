import type { Json, JsonObject, Provider } from '../adapter.js';
import { arrayOf, isObject, objectOf } from '../json/json.js';
import { type Edits, keepOnly } from '../openai-compatible/quirks.js';
import { openAiCompatible } from '../upstreams/openai-compatible.js';

const flatPart = (item: Json): Json => {
  const part = objectOf(item);
  return part.type === 'image_url' && isObject(part.image_url) ? { ...part, image_url: part.image_url.url } : item;
};

/** Mistral expects an image as a plain URL, not as an object. */
function flattenImages(json: JsonObject, edits: Edits): void {
  const hasImage = arrayOf(json.messages).some((message) =>
    arrayOf(objectOf(message).content).some((part) => isObject(objectOf(part).image_url)),
  );
  if (!hasImage) return;
  const messages = arrayOf(json.messages).map((item) => {
    const message = objectOf(item);
    return Array.isArray(message.content) ? { ...message, content: message.content.map(flatPart) } : item;
  });
  edits.set('messages', messages);
}

/** What Mistral has under another name. */
function rename(json: JsonObject, edits: Edits): void {
  const { seed, random_seed: ownSeed, input, dimensions, output_dimension: ownDimension } = json;
  if (seed !== undefined && ownSeed === undefined) edits.set('random_seed', seed);
  // Of embeddings only.
  if (input !== undefined && dimensions !== undefined && ownDimension === undefined)
    edits.set('output_dimension', dimensions);
}

// Mistral answers 422 to unknown members.
const chatMembers = keepOnly(
  ...['model', 'messages', 'stream', 'temperature', 'top_p', 'max_tokens', 'tools', 'tool_choice', 'stop', 'n'],
  ...['random_seed', 'response_format', 'presence_penalty', 'frequency_penalty', 'prediction', 'parallel_tool_calls'],
  ...['safe_prompt', 'prompt_mode', 'input', 'encoding_format', 'output_dimension', 'output_dtype', 'prompt', 'suffix'],
);

export const mistral: Provider = openAiCompatible({
  defaultBaseUrl: 'https://api.mistral.ai',
  streamUsage: 'strip',
  olderLimit: true,
  tweaks: [chatMembers, rename, flattenImages],
});
