import type {
  Capabilities,
  ClientRequest,
  EmbeddingsAdapter,
  JsonObject,
  ReplyContext,
  TextAdapter,
  UpstreamRequest,
} from '../adapter.js';
import { type ConversationCapability, everyClient } from '../clients/every-client.js';
import { chatUpstream } from '../openai-compatible/conversation.js';
import { limitedBytes } from '../openai-compatible/output-limit.js';
import type { Quirks } from '../openai-compatible/quirks.js';
import { openAiImageEdits, openAiImages } from '../openai-compatible/images.js';
import { openAiModerations, openAiSpeech } from '../openai-compatible/plain.js';
import { openAiModels } from '../openai-compatible/models.js';
import { ownIdOf, reformatFold } from '../openai-compatible/reformat.js';
import { openAiReply } from '../openai-compatible/reply.js';
import { upstreamRequest } from '../openai-compatible/request.js';
import { OpenAiPassThrough } from '../openai-compatible/stream.js';
import { openAiTranscriptions } from '../openai-compatible/transcription.js';
import { replaceMembers } from '../json/replace-members.js';
import { responsesReply } from '../responses/reply.js';
import { limitedResponse, responsesToUpstream } from '../responses/request.js';
import { ResponsesPassThrough } from '../responses/stream.js';
import { ResponsesWithThoughtsAsText } from '../responses/thoughts-as-text-stream.js';
import { ConvertedStream } from '../stream/stream-fold.js';

/** Marks the model named in the client's unchanged bytes as the model that answers. */
const withBytes = (request: UpstreamRequest, { json }: ClientRequest, body: Buffer): UpstreamRequest => ({
  ...request,
  body,
  ...(typeof json.model === 'string' && json.model !== '' && { model: json.model }),
});

const withOwnId = (body: Buffer, context: ReplyContext): Buffer =>
  replaceMembers(body, new Map([['id', ownIdOf(context)]]));

/** Chat and legacy completions; they differ in their path only. */
const sameDialect = (quirks: Quirks, path: string): TextAdapter => {
  const { usage: usageQuirks = {}, ownIds = false, olderLimit = false } = quirks;
  const fold = reformatFold(usageQuirks, ownIds);
  return {
    toUpstream: (request, target) => upstreamRequest(request, target, quirks, path),
    fromReply(body, context) {
      const reply = openAiReply(body, context, usageQuirks, 'choices');
      return ownIds && !reply.fault ? { ...reply, body: withOwnId(reply.body, context) } : reply;
    },
    openStream: (context) =>
      ownIds || context.setting.force_format || context.setting.thinking_to_content
        ? new ConvertedStream(fold, context)
        : new OpenAiPassThrough(context, usageQuirks),
    unchanged: (request, target) =>
      withBytes(upstreamRequest(request, target, quirks, path), request, limitedBytes(request, olderLimit)),
    ...(olderLimit && { boundsUnchanged: ({ max_tokens }: JsonObject): JsonObject => ({ max_tokens }) as JsonObject }),
  };
};

const openAiEmbeddings = (quirks: Quirks): EmbeddingsAdapter => ({
  toUpstream: (request, target) =>
    upstreamRequest(request, { ...target, paramOverride: {} }, quirks, quirks.embeddingsPath ?? '/v1/embeddings'),
  fromReply: (body, context) => openAiReply(body, context, quirks.usage ?? {}, 'data'),
});

/** Speech to text and text to speech. */
export const openAiAudio = (
  quirks: Quirks,
): Pick<Required<Capabilities>, 'transcriptions' | 'translations' | 'speech'> => ({
  transcriptions: openAiTranscriptions(quirks, '/v1/audio/transcriptions'),
  translations: openAiTranscriptions(quirks, '/v1/audio/translations'),
  speech: openAiSpeech(quirks),
});

/** Image generation and edits. */
export const openAiPictures = (quirks: Quirks): Pick<Required<Capabilities>, 'images' | 'imageEdits'> => ({
  images: openAiImages(quirks),
  imageEdits: openAiImageEdits(quirks),
});

/** Moderations, which OpenAI's own API and compatible servers offer. */
export const openAiOthers = (quirks: Quirks): Pick<Required<Capabilities>, 'moderations'> => ({
  moderations: openAiModerations(quirks),
});

/** POST /v1/responses, for upstreams that serve it themselves. */
export const openAiResponses = (quirks: Quirks): TextAdapter => ({
  toUpstream: (request, target) => responsesToUpstream(request, target, quirks),
  fromReply: responsesReply,
  openStream: (context) =>
    context.setting.thinking_to_content ? new ResponsesWithThoughtsAsText(context) : new ResponsesPassThrough(context),
  unchanged: (request, target) =>
    withBytes(responsesToUpstream(request, target, quirks), request, limitedResponse(request)),
  runsSearches: true,
});

export type TextCapabilities = Required<
  Pick<Capabilities, ConversationCapability | 'completions' | 'embeddings' | 'models'>
>;

/** Adapters for an OpenAI-compatible upstream. Most new upstreams need just a call of this function. */
export function openAiCompatible(quirks: Quirks = {}): TextCapabilities {
  const chatPath = quirks.chatPath ?? '/v1/chat/completions';
  return {
    ...everyClient(chatUpstream(quirks, chatPath)),
    chat: { ...sameDialect(quirks, chatPath), ...(quirks.searches && { runsSearches: quirks.searches }) },
    // Completions have only the older name of the limit, at every upstream.
    completions: sameDialect({ ...quirks, olderLimit: true }, quirks.completionsPath ?? '/v1/completions'),
    embeddings: openAiEmbeddings(quirks),
    models: openAiModels(quirks),
  };
}
