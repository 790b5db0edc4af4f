import type { EmbeddingsAdapter } from '../adapter.js';
import { stated } from '../conversation/conversation.js';
import { noVectors, textsIn, vectorsReply } from '../embeddings/vectors.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { arrayOf, parseObject } from '../json/json.js';
import { type Quirks, urlOf } from '../openai-compatible/quirks.js';
import { headersOf } from '../openai-compatible/request.js';
import { openAiUsage } from '../usage.js';

/** Ollama's native embeddings, one vector per text. */
export const ollamaEmbeddings = (quirks: Quirks): EmbeddingsAdapter => ({
  toUpstream: ({ json }, target) => ({
    method: 'POST',
    url: urlOf(target, quirks, '/api/embed'),
    headers: headersOf(target, quirks, false),
    body: Buffer.from(
      JSON.stringify(
        stated({
          model: target.model,
          input: textsIn(json.input, 'Ollama'),
          dimensions: typeof json.dimensions === 'number' ? json.dimensions : undefined,
          keep_alive: json.keep_alive,
          truncate: json.truncate,
        }),
      ),
    ),
  }),

  fromReply(body, context) {
    const json = parseObject(body.toString('utf8'));
    const fault = json ? findFault(json, context.secrets) : unreadableReply;
    if (!json || fault || !Array.isArray(json.embeddings)) return noVectors(body, fault ?? unreadableReply);
    const usage = openAiUsage({ prompt_tokens: json.prompt_eval_count }, { hasNoOutput: true });
    return vectorsReply(arrayOf(json.embeddings), usage, context);
  },
});
