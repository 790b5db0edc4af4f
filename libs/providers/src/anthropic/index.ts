import type { Provider } from '../adapter.js';
import { modelIds } from '../openai-compatible/models.js';
import { ConvertedStream } from '../stream-fold.js';
import { anthropicReply, toChatReply } from './chat-reply.js';
import { chatFold } from './chat-stream.js';
import { chatToUpstream, headersOf, messagesToUpstream, urlOf } from './request.js';
import { AnthropicPassThrough } from './stream.js';

export const anthropic = {
  chat: {
    toUpstream: chatToUpstream,
    fromReply: toChatReply,
    openStream: (context) => new ConvertedStream(chatFold, context),
  },
  messages: {
    toUpstream: messagesToUpstream,
    fromReply: anthropicReply,
    openStream: (context) => new AnthropicPassThrough(context),
  },
  models: {
    toUpstream: (target) => ({
      method: 'GET',
      url: urlOf(target, '/v1/models?limit=1000'),
      headers: headersOf(target),
    }),
    fromReply: modelIds,
  },
} satisfies Provider;
