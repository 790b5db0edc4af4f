import type { Provider } from '../adapter.js';
import { anthropicUpstream } from '../anthropic/conversation.js';
import { anthropicReply } from '../anthropic/read-reply.js';
import { headersOf, messagesToUpstream, urlOf } from '../anthropic/request.js';
import { AnthropicPassThrough } from '../anthropic/stream.js';
import { unlessRewritten } from '../conversation/converse.js';
import { everyClient } from '../clients/every-client.js';
import { modelIds } from '../openai-compatible/models.js';

const converted = everyClient(anthropicUpstream);

export const anthropic = {
  ...converted,
  messages: unlessRewritten(
    {
      toUpstream: messagesToUpstream,
      fromReply: anthropicReply,
      openStream: (context) => new AnthropicPassThrough(context),
      runsSearches: true,
    },
    converted.messages,
  ),
  models: {
    toUpstream: (target) => ({
      method: 'GET',
      url: urlOf(target, '/v1/models?limit=1000'),
      headers: headersOf(target),
    }),
    fromReply: modelIds,
  },
} satisfies Provider;
