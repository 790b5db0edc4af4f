import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../dialects.js';
import { ali } from './ali.js';
import { cloudflare } from './cloudflare.js';
import { imagen } from './imagen.js';
import { ollama } from './ollama.js';
import { picture } from './picture.js';
import { rerank } from './rerank.js';
import { siliconFlow } from './siliconflow.js';
import { baidu } from './baidu.js';
import { bedrock } from './bedrock.js';
import { cohere } from './cohere.js';
import { coze } from './coze.js';
import { dify } from './dify.js';
import { gemini } from './gemini.js';
import type { Native, NativeReply, NativeTurn } from './native.js';
import { tencent } from './tencent.js';
import { vertex } from './vertex.js';
import { zhipu } from './zhipu.js';

/** Own paths of providers that also serve OpenAI's. */
const own: readonly Native[] = [ali, cloudflare, imagen, ollama, picture, rerank, siliconFlow];

/** All providers with paths of their own; the first one that recognises a path answers. */
const natives: readonly Native[] = [gemini, vertex, bedrock, baidu, zhipu, tencent, cohere, dify, coze, ...own];

/** The answer of a provider with its own API; undefined if the call belongs to none. */
export function nativeOf(
  { method = '', headers }: IncomingMessage,
  known: { url: URL; bytes: Buffer; json: JsonObject },
): NativeTurn | NativeReply | undefined {
  const call = { method, headers, origin: `http://${headers.host}`, ...known };
  for (const native of natives) {
    const read = native(call);
    if (read) return read;
  }
  return undefined;
}

/** The request in OpenAI's format, which the journal and the token count use. */
export const bodyOf = ({ prompt, model, isStream, limit }: NativeTurn): JsonObject => ({
  ...prompt,
  model,
  stream: isStream,
  max_tokens: limit,
  stream_options: { include_usage: true },
});

export function sendJson(response: ServerResponse, { status, json, headers, bytes }: NativeReply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(bytes ?? JSON.stringify(json));
}
