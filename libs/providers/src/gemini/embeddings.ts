import type { EmbeddingsAdapter, JsonObject } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { findFault, unreadableReply } from '../faults.js';
import { parseObject } from '../json.js';
import { noText } from '../transcript.js';
import { listAt } from './fields.js';
import { headersOf } from './request.js';
import { modelUrl, upstreamModel } from './settings.js';

function textsIn(input: unknown): string[] {
  const list: unknown[] = Array.isArray(input) ? input : [input];
  if (list.every((item) => typeof item === 'string')) return list;
  throw new RequestRejected('invalid_embedding_request', 'Gemini embeds texts only, no lists of tokens');
}

/** OpenAI's embeddings over Gemini, with as many vectors as inputs. Gemini states no usage, so it is counted here. */
export const geminiEmbeddings: EmbeddingsAdapter = {
  toUpstream({ json }, target) {
    const model = `models/${upstreamModel(target)}`;
    const { dimensions } = json;
    const requests = textsIn(json.input).map((text): JsonObject => ({
      model,
      content: { parts: [{ text }] },
      ...(typeof dimensions === 'number' && { outputDimensionality: dimensions }),
    }));
    return {
      method: 'POST',
      url: modelUrl(target, 'batchEmbedContents'),
      headers: headersOf(target),
      body: Buffer.from(JSON.stringify({ requests })),
    };
  },

  fromReply(body, { model, promptTokens, secrets }) {
    const json = parseObject(body.toString('utf8'));
    const fault = json ? findFault(json, secrets) : unreadableReply;
    if (!json || fault || !Array.isArray(json.embeddings))
      return { body, usage: undefined, fault: fault ?? unreadableReply, text: () => noText };
    const list = {
      object: 'list',
      data: listAt(json, 'embeddings').map(({ values }, index) => ({ object: 'embedding', index, embedding: values })),
      model,
      usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
    };
    return { body: Buffer.from(JSON.stringify(list)), usage: undefined, text: () => noText };
  },
};
