import { channelTypes } from '@tollgate/contracts';
import type { ChannelTarget, JsonObject, ModelsAdapter, Provider, RerankAdapter } from '../adapter.js';
import { everyClient } from '../clients/every-client.js';
import type { UpstreamSide } from '../conversation/converse.js';
import { limitedBy } from '../conversation/unchanged.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { arrayOf, objectOf, parseObject, textOf } from '../json/json.js';
import { JsonLines } from '../stream/json-lines.js';
import { overrideFor, overridesOf } from '../json/member-rules.js';
import { replaceMembers } from '../json/replace-members.js';
import { jinaReply } from '../rerank/reply.js';
import { readCohereReply } from './read-reply.js';
import { cohereStreamReader } from './read-stream.js';
import { writeCohereRequest } from './write-request.js';

const urlOf = ({ baseUrl }: ChannelTarget, path: string): string =>
  (baseUrl || channelTypes[34].baseUrl).replace(/\/+$/, '') + path;

const headersOf = ({ key }: ChannelTarget, isStream = false): Record<string, string> => ({
  'content-type': 'application/json',
  // With `*/*` Cohere streams one JSON object per line instead of server-sent events.
  accept: isStream ? '*/*' : 'application/json',
  authorization: `Bearer ${key}`,
});

const upstream: UpstreamSide = {
  writeRequest(conversation, request, target) {
    const override = Object.fromEntries(overridesOf(overrideFor(request, target)));
    const { cohereSafetyMode: safety } = target.settings;
    const json: JsonObject = {
      ...writeCohereRequest(conversation, target.model),
      ...(safety !== undefined && { safety_mode: safety }),
      ...override,
    };
    const limit = Math.min(Number(json.max_tokens), request.outputLimit ?? Infinity);
    return {
      method: 'POST',
      url: urlOf(target, '/v1/chat'),
      headers: headersOf(target, conversation.stream),
      body: Buffer.from(JSON.stringify({ ...json, max_tokens: limit })),
    };
  },
  readReply: readCohereReply,
  takesSchema: true,
  raw: limitedBy('max_tokens'),
  reader: cohereStreamReader,
  // Cohere's content type differs between its versions, so every reply to a streaming request is read as a stream.
  framing: { contentType: '', open: () => new JsonLines() },
};

/** Unless the client asks otherwise, requests only the best document, with its text. */
const rerank: RerankAdapter = {
  toUpstream({ json, bytes }, target) {
    const edits = new Map([
      ['model', target.model],
      ['top_n', json.top_n || 1],
      ['return_documents', json.return_documents ?? true],
      ['max_chunk_per_doc', undefined],
      ...(json.max_chunk_per_doc ? [['max_chunks_per_doc', json.max_chunk_per_doc] as const] : []),
    ]);
    return {
      method: 'POST',
      url: urlOf(target, '/v1/rerank'),
      headers: headersOf(target),
      body: replaceMembers(bytes, edits),
    };
  },
  fromReply: jinaReply,
};

const models: ModelsAdapter = {
  toUpstream: (target) => ({
    method: 'GET',
    url: urlOf(target, '/v1/models?page_size=1000'),
    headers: headersOf(target),
  }),
  fromReply(body) {
    const json = parseObject(body.toString('utf8'));
    const fault = json && findFault(json);
    if (!Array.isArray(json?.models)) throw new Error((fault ?? unreadableReply).message);
    return arrayOf(json.models)
      .map((model) => textOf(objectOf(model).name))
      .filter(Boolean);
  },
};

/** Cohere's native API: the current question is separate from the chat history, and tools are described with Python types. */
export const cohere = { ...everyClient(upstream), rerank, models } satisfies Provider;
