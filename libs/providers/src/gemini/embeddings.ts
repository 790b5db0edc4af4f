import type { EmbeddingsAdapter, JsonObject } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { noVectors, textsIn, vectorsReply } from '../embeddings/vectors.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { isObject, objectOf, parseObject } from '../json/json.js';
import { listAt } from './fields.js';
import { headersOf } from './request.js';
import { modelUrl, upstreamModel } from './settings.js';

/** The most inputs that Google takes in one request; OpenAI takes 2048. */
const MOST_INPUTS = 100;

function inputsOf(input: unknown): string[] {
  const texts = textsIn(input, 'Gemini');
  if (texts.length <= MOST_INPUTS) return texts;
  const message = `Gemini embeds at most ${MOST_INPUTS} inputs at once, not ${texts.length}: send them in several requests`;
  throw new RequestRejected('invalid_embedding_request', message, 'input');
}

/** Serves OpenAI's embeddings through Gemini, one vector per input. Gemini states no usage, so tokens are counted here. */
export const geminiEmbeddings: EmbeddingsAdapter = {
  toUpstream({ json }, target) {
    const model = `models/${upstreamModel(target)}`;
    const { dimensions } = json;
    const requests = inputsOf(json.input).map((text): JsonObject => ({
      model,
      content: { parts: [{ text }] },
      ...(typeof dimensions === 'number' && { outputDimensionality: dimensions }),
    }));
    const isSingle = requests.length === 1;
    return {
      method: 'POST',
      url: modelUrl(target, isSingle ? 'embedContent' : 'batchEmbedContents'),
      headers: headersOf(target),
      body: Buffer.from(JSON.stringify(isSingle ? requests[0] : { requests })),
    };
  },

  fromReply(body, context) {
    const json = parseObject(body.toString('utf8'));
    const fault = json ? findFault(json, context.secrets) : unreadableReply;
    const isSingle = isObject(json?.embedding);
    if (!json || fault || (!isSingle && !Array.isArray(json.embeddings)))
      return noVectors(body, fault ?? unreadableReply);
    const found = isSingle ? [objectOf(json.embedding)] : listAt(json, 'embeddings');
    const vectors = found.map(({ values }) => values ?? []);
    return vectorsReply(vectors, undefined, context);
  },
};
