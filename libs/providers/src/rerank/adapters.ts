import type { Json, RerankAdapter } from '../adapter.js';
import { runPath } from '../cloudflare/run.js';
import { stated } from '../conversation/conversation.js';
import { arrayOf, objectOf } from '../json/json.js';
import { addressOf, type Quirks } from '../openai-compatible/quirks.js';
import { headersOf } from '../openai-compatible/request.js';
import { replaceMembers } from '../json/replace-members.js';
import { cloudflareReply, jinaReply } from './reply.js';

/** Jina's dialect, which most upstreams use: the client's bytes with the model replaced by the channel's name for it. */
export const jinaRerank = (quirks: Quirks): RerankAdapter => ({
  toUpstream: (request, target) => ({
    method: 'POST',
    url: addressOf(target, quirks, '/v1/rerank', request),
    headers: headersOf(target, quirks, false),
    body: replaceMembers(request.bytes, new Map([['model', target.model]])),
  }),
  fromReply: jinaReply,
});

/** A document is a string, or an object with a text. */
const textOfDocument = (document: Json): string => {
  if (typeof document === 'string') return document;
  const { text } = objectOf(document);
  return typeof text === 'string' ? text : JSON.stringify(document);
};

/** Workers AI: the model is in the path, and documents are sent as contexts. */
export const cloudflareRerank = (quirks: Quirks): RerankAdapter => ({
  toUpstream: (request, target) => ({
    method: 'POST',
    url: addressOf(target, quirks, runPath(target.model), request),
    headers: headersOf(target, quirks, false),
    body: Buffer.from(
      JSON.stringify(
        stated({
          query: request.json.query,
          contexts: arrayOf(request.json.documents).map((document) => ({ text: textOfDocument(document) })),
          top_k: request.json.top_n ?? undefined,
        }),
      ),
    ),
  }),
  fromReply: cloudflareReply,
});
