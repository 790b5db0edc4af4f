import type {
  ChannelTarget,
  ClientRequest,
  JsonObject,
  Provider,
  ReplyContext,
  TextAdapter,
  UpstreamRequest,
} from '../adapter.js';
import { runsAt } from '../by-model.js';
import { anthropicUpstream } from '../anthropic/conversation.js';
import { anthropicReply } from '../anthropic/read-reply.js';
import { remoteBlocks } from '../anthropic/remote-blocks.js';
import { messagesToUpstream } from '../anthropic/request.js';
import { AnthropicPassThrough } from '../anthropic/stream.js';
import { type ConversationCapability, everyClient } from '../clients/every-client.js';
import { unlessRewritten, type UpstreamSide } from '../conversation/converse.js';
import { geminiUpstream } from '../gemini/conversation.js';
import { geminiReply } from '../gemini/read-reply.js';
import { geminiToUpstream } from '../gemini/request.js';
import { GeminiPassThrough } from '../gemini/stream.js';
import { replaceMembers } from '../json/replace-members.js';
import { openAiCompatible } from '../upstreams/openai-compatible.js';
import {
  anthropicUrl,
  googleUrl,
  isOfGoogle,
  knownPublisherOf,
  openUrl,
  type Publisher,
  publisherOf,
} from './address.js';
import { vertexToken } from './service-account.js';

const VERSION = 'vertex-2023-10-16';

/** Headers as for Anthropic or Google directly, without those that authenticate there. */
function headersFrom({ headers }: UpstreamRequest, ...dropped: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.includes(name)));
}

/** Adapts a request for Anthropic to Vertex: the model is in the path, the version in the body. */
function overClaude(request: UpstreamRequest, target: ChannelTarget): UpstreamRequest {
  const { method, headers, body = Buffer.from('{}') } = request;
  const edits = new Map<string, JsonObject[string]>([
    ['model', undefined],
    ['anthropic_version', VERSION],
  ]);
  return {
    method,
    url: anthropicUrl(target, headers.accept === 'text/event-stream'),
    headers: headersFrom(request, 'x-api-key', 'anthropic-version'),
    body: replaceMembers(body, edits),
  };
}

/** Adapts a request for Gemini's own API: the body is the same, the address differs. */
const overGoogle = (request: UpstreamRequest, target: ChannelTarget): UpstreamRequest => ({
  ...request,
  url: googleUrl(
    target,
    request.headers.accept === 'text/event-stream' ? 'streamGenerateContent?alt=sse' : 'generateContent',
  ),
  headers: headersFrom(request, 'x-goog-api-key'),
});

const claudeSide: UpstreamSide = {
  ...anthropicUpstream,
  writeRequest: (conversation, request, target) =>
    overClaude(anthropicUpstream.writeRequest(conversation, request, target), target),
};

const googleSide: UpstreamSide = {
  ...geminiUpstream,
  writeRequest: (conversation, request, target) =>
    overGoogle(geminiUpstream.writeRequest(conversation, request, target), target),
};

type Texts = Record<ConversationCapability, TextAdapter>;

const overClaudeSide = everyClient(claudeSide);
const overGoogleSide = everyClient(googleSide);

const families: Readonly<Record<Publisher, Texts>> = {
  anthropic: {
    ...overClaudeSide,
    messages: unlessRewritten(
      {
        toUpstream: (request, target) => overClaude(messagesToUpstream(request, target), target),
        fromReply: anthropicReply,
        openStream: (context) => new AnthropicPassThrough(context),
      },
      overClaudeSide.messages,
    ),
  },
  google: {
    ...overGoogleSide,
    gemini: unlessRewritten(
      {
        toUpstream: (request, target) => overGoogle(geminiToUpstream(request, target), target),
        fromReply: geminiReply,
        openStream: (context) => new GeminiPassThrough(context),
        runsSearches: true,
      },
      overGoogleSide.gemini,
    ),
  },
  open: openAiCompatible({ url: openUrl, authorize: () => ({}), streamUsage: 'ask' }),
};

const replyFamily = ({ upstreamModel, model }: ReplyContext): Texts => families[publisherOf(upstreamModel ?? model)];

/**
 * What the adapters say of a model by its name alone. A name that none of them serves must not throw here: such facts
 * are asked of all channels of a model before one of them is chosen.
 */
const familyOf = (model: string): Texts | undefined => {
  const publisher = knownPublisherOf(model);
  return publisher && families[publisher];
};

const byModel = (name: ConversationCapability): TextAdapter => ({
  ...(families.google[name].runsGoogleTools && { runsGoogleTools: isOfGoogle }),
  ...(families.google[name].runsSearches && { runsSearches: isOfGoogle }),
  convertsPictureTexts: (model) => runsAt(familyOf(model)?.[name].convertsPictureTexts, model),
  toUpstream: (request, target) => families[publisherOf(target.model)][name].toUpstream(request, target),
  ...(name === 'chat' && {
    unchanged: (request: ClientRequest, target: ChannelTarget) =>
      families[publisherOf(target.model)].chat.unchanged?.(request, target),
    boundsUnchanged: (json: JsonObject, model: string) => familyOf(model)?.chat.boundsUnchanged?.(json, model),
  }),
  fromReply: (body, context) => replyFamily(context)[name].fromReply(body, context),
  openStream: (context) => replyFamily(context)[name].openStream(context),
});

/** Chooses the adapter by the model, because the dialect depends on it. */
const everyModel = Object.fromEntries(
  Object.keys(families.google).map((name) => [name, byModel(name as ConversationCapability)]),
) as Texts;

/** Models of Google, Anthropic and others at Google Cloud. A service account's key is exchanged for a token. */
export const vertex = {
  ...everyModel,
  remoteMedia: remoteBlocks,
  authorize: async (_, target, tokens) => {
    const exchange = vertexToken(target);
    const token = await tokens.get(exchange);
    return { headers: { authorization: `Bearer ${token}` }, grant: { id: exchange.id, token } };
  },
} satisfies Provider;
