import type { ChannelTarget, Json, JsonObject, Provider } from '../adapter.js';
import { arrayOf, objectOf, textOf } from '../json/json.js';
import { clamp, type Edits } from '../openai-compatible/quirks.js';
import { openAiCompatible } from '../upstreams/openai-compatible.js';
import { zhipuToken } from './token.js';

/** A key of the form `id.secret` signs a token; any other key is sent as it is. */
const authorize = ({ key, nowMs }: ChannelTarget): Record<string, string> => ({
  authorization: zhipuToken(key, nowMs) ?? `Bearer ${key}`,
});

const DATA_URI = /^data:image\/[^;,]+;base64,/;

function plainImage(item: Json): Json {
  const part = objectOf(item);
  const url = textOf(objectOf(part.image_url).url);
  return DATA_URI.test(url)
    ? { ...part, image_url: { ...objectOf(part.image_url), url: url.replace(DATA_URI, '') } }
    : item;
}

/** Zhipu expects inline images without the prefix of a data URI. */
function stripImagePrefixes(json: JsonObject, edits: Edits): void {
  const messages = arrayOf(edits.get('messages') ?? json.messages);
  let changed = false;
  const plain = messages.map((item) => {
    const message = objectOf(item);
    if (!Array.isArray(message.content)) return item;
    const content = message.content.map(plainImage);
    changed ||= content.some((part, index) => part !== arrayOf(message.content)[index]);
    return { ...message, content };
  });
  if (changed) edits.set('messages', plain);
}

export const zhipuV4: Provider = openAiCompatible({
  defaultBaseUrl: 'https://open.bigmodel.cn',
  chatPath: '/api/paas/v4/chat/completions',
  embeddingsPath: '/api/paas/v4/embeddings',
  modelsPath: '/api/paas/v4/models',
  authorize,
  streamUsage: 'strip',
  olderLimit: true,
  tweaks: [clamp('top_p', 0, 0.99), stripImagePrefixes],
});
