import type { ChannelTarget, ClientRequest, EmbeddingsAdapter, JsonObject, Reply, ReplyContext } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { arrayOf, isObject, objectOf, parseObject } from '../json/json.js';
import { replaceMembers } from '../json/replace-members.js';
import { noText } from '../stream/transcript.js';
import { field, listAt, objectAt } from './fields.js';
import { headersOf } from './request.js';
import { modelUrl, upstreamModel } from './settings.js';
import { geminiUsage } from './usage.js';

// For clients of Google's `:embedContent` and `:batchEmbedContents`. The two differ only in whether the body has a list of requests.

const isBatch = ({ requests }: JsonObject): boolean => requests !== undefined;

const failed = (body: Buffer, fault = unreadableReply): Reply => ({
  body,
  usage: undefined,
  fault,
  text: () => noText,
});

/** Each request names the model too, and it must equal the model in the path. */
function withModel(json: JsonObject, model: string): Map<string, JsonObject[string]> {
  if (!isBatch(json)) return json.model === undefined ? new Map() : new Map([['model', model]]);
  return new Map([['requests', arrayOf(json.requests).map((item) => ({ ...objectOf(item), model }))]]);
}

/** Over Google: the client's own bytes. Google may state no usage; prompt tokens are then counted here. */
export const geminiEmbedContents: EmbeddingsAdapter = {
  toUpstream: ({ json, bytes }, target) => ({
    method: 'POST',
    url: modelUrl(target, isBatch(json) ? 'batchEmbedContents' : 'embedContent'),
    headers: headersOf(target),
    body: replaceMembers(bytes, withModel(json, `models/${upstreamModel(target)}`)),
  }),

  fromReply(body, { secrets }) {
    const json = parseObject(body.toString('utf8'));
    const fault = json ? findFault(json, secrets) : unreadableReply;
    if (!json || fault) return failed(body, fault);
    if (!Array.isArray(json.embeddings) && !isObject(json.embedding)) return failed(body);
    return { body, usage: geminiUsage(field(json, 'usageMetadata')), text: () => noText };
  },
};

function textOfContent(request: JsonObject): string {
  return listAt(objectAt(request, 'content'), 'parts')
    .map((part) => {
      if (typeof part.text === 'string') return part.text;
      throw new RequestRejected('invalid_embedding_request', 'the channels of this model embed texts only');
    })
    .join('\n');
}

/** Converts the request to OpenAI's dialect, which has one vector size for all inputs and no task types. */
function inOpenAiWords({ json, ...request }: ClientRequest, target: ChannelTarget): ClientRequest {
  const requests = isBatch(json) ? listAt(json, 'requests') : [json];
  const dimensions = requests.map((item) => field(item, 'outputDimensionality')).find((value) => value !== undefined);
  const body: JsonObject = {
    model: target.requestedModel,
    input: requests.map(textOfContent),
    encoding_format: 'float',
    ...(typeof dimensions === 'number' && { dimensions }),
  };
  return { ...request, dialect: 'openai', json: body, bytes: Buffer.from(JSON.stringify(body)) };
}

function inGoogleWords(body: Buffer, { request = {} }: ReplyContext): Buffer | undefined {
  const list = parseObject(body.toString('utf8'))?.data;
  if (!Array.isArray(list)) return undefined;
  const vectors = list.map((item) => ({ values: objectOf(item).embedding }));
  return Buffer.from(JSON.stringify(isBatch(request) ? { embeddings: vectors } : { embedding: vectors[0] ?? {} }));
}

/** Over an upstream that serves OpenAI's embeddings. */
export const overEmbeddings = (embeddings: EmbeddingsAdapter): EmbeddingsAdapter => ({
  toUpstream: (request, target) => embeddings.toUpstream(inOpenAiWords(request, target), target),
  fromReply(body, context) {
    const reply = embeddings.fromReply(body, context);
    if (reply.fault) return reply;
    const written = inGoogleWords(reply.body, context);
    return written ? { ...reply, body: written } : failed(body);
  },
});
