import type { ChannelTarget, ClientRequest, JsonObject, Provider, ReplyContext, TextAdapter } from '../adapter.js';
import { completionsUpstream, isOfCompletions } from '../anthropic/complete.js';
import { anthropicUpstream } from '../anthropic/conversation.js';
import { anthropicReply } from '../anthropic/read-reply.js';
import { insecureBlocks } from '../anthropic/remote-blocks.js';
import { headersOf, messagesToUpstream, urlOf } from '../anthropic/request.js';
import { AnthropicPassThrough } from '../anthropic/stream.js';
import { unlessRewritten } from '../conversation/converse.js';
import { type ConversationCapability, everyClient } from '../clients/every-client.js';
import { modelIds } from '../openai-compatible/models.js';

const converted = everyClient(anthropicUpstream);
const ofCompletions = everyClient(completionsUpstream);

/** The oldest models only have Text Completions, so the adapter is chosen by model. Anthropic's own clients always use Messages. */
function byModel(name: ConversationCapability): TextAdapter {
  const at = (model: string): TextAdapter => (isOfCompletions(model) ? ofCompletions : converted)[name];
  const of = ({ upstreamModel, model }: ReplyContext): TextAdapter => at(upstreamModel ?? model);
  return {
    convertsPictureTexts: true,
    toUpstream: (request, target) => at(target.model).toUpstream(request, target),
    ...(name === 'chat' && {
      unchanged: (request: ClientRequest, target: ChannelTarget) => at(target.model).unchanged?.(request, target),
      boundsUnchanged: (json: JsonObject, model: string) => at(model).boundsUnchanged?.(json, model),
    }),
    fromReply: (body, context) => of(context).fromReply(body, context),
    openStream: (context) => of(context).openStream(context),
  };
}

export const anthropic = {
  chat: byModel('chat'),
  gemini: byModel('gemini'),
  responses: byModel('responses'),
  messages: unlessRewritten(
    {
      toUpstream: messagesToUpstream,
      fromReply: anthropicReply,
      openStream: (context) => new AnthropicPassThrough(context),
      runsSearches: true,
    },
    converted.messages,
  ),
  remoteMedia: insecureBlocks,
  models: {
    toUpstream: (target) => ({
      method: 'GET',
      url: urlOf(target, '/v1/models?limit=1000'),
      headers: headersOf(target),
    }),
    fromReply: modelIds,
  },
} satisfies Provider & Record<ConversationCapability, TextAdapter>;
