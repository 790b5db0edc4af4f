import type { EmbeddingsAdapter } from '../adapter.js';
import { noVectors, textsIn, vectorsReply } from '../embeddings/vectors.js';
import { unreadableReply } from '../faults/faults.js';
import { arrayOf, objectOf, parseObject } from '../json/json.js';
import { type Quirks, urlOf } from '../openai-compatible/quirks.js';
import { headersOf } from '../openai-compatible/request.js';
import { openAiUsage } from '../usage.js';
import { aliFault } from './error.js';

const PATH = '/api/v1/services/embeddings/text-embedding/text-embedding';

/** DashScope's native embeddings: texts in, indexed vectors out, and a usage total that counts prompt tokens only. */
export const aliEmbeddings = (quirks: Quirks): EmbeddingsAdapter => ({
  toUpstream: ({ json }, target) => ({
    method: 'POST',
    url: urlOf(target, quirks, PATH),
    headers: headersOf(target, quirks, false),
    body: Buffer.from(
      JSON.stringify({
        model: target.model,
        input: { texts: textsIn(json.input, 'DashScope') },
        ...(typeof json.dimensions === 'number' && { parameters: { dimension: json.dimensions } }),
      }),
    ),
  }),

  fromReply(body, context) {
    const json = parseObject(body.toString('utf8'));
    const fault = json ? aliFault(json, context.secrets) : unreadableReply;
    const { embeddings } = objectOf(json?.output);
    if (!json || fault || !Array.isArray(embeddings)) return noVectors(body, fault ?? unreadableReply);
    const vectors = arrayOf(embeddings)
      .map(objectOf)
      .sort((a, b) => Number(a.text_index ?? 0) - Number(b.text_index ?? 0))
      .map(({ embedding }) => embedding ?? []);
    const { total_tokens: total } = objectOf(json.usage);
    return vectorsReply(vectors, openAiUsage({ prompt_tokens: total }, { hasNoOutput: true }), context);
  },
});
