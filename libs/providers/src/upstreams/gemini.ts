import type { ModelsAdapter, Provider } from '../adapter.js';
import { messagesClient } from '../anthropic/conversation.js';
import { converse } from '../conversation/converse.js';
import { findFault, unreadableReply } from '../faults.js';
import { geminiUpstream } from '../gemini/conversation.js';
import { geminiEmbeddings } from '../gemini/embeddings.js';
import { listAt, textAt } from '../gemini/fields.js';
import { geminiReply } from '../gemini/read-reply.js';
import { geminiToUpstream, headersOf } from '../gemini/request.js';
import { urlOf } from '../gemini/settings.js';
import { GeminiPassThrough } from '../gemini/stream.js';
import { parseObject } from '../json.js';
import { chatClient } from '../openai-compatible/conversation.js';

const models: ModelsAdapter = {
  toUpstream: (target) => ({ method: 'GET', url: urlOf(target, 'models?pageSize=1000'), headers: headersOf(target) }),
  fromReply(body) {
    const json = parseObject(body.toString('utf8'));
    const fault = json && findFault(json);
    if (!json || !Array.isArray(json.models)) throw new Error((fault ?? unreadableReply).message);
    return listAt(json, 'models').map((model) => textAt(model, 'name').replace(/^models\//, ''));
  },
};

export const gemini = {
  chat: converse(chatClient, geminiUpstream),
  messages: converse(messagesClient, geminiUpstream),
  gemini: {
    toUpstream: geminiToUpstream,
    fromReply: geminiReply,
    openStream: (context) => new GeminiPassThrough(context),
  },
  embeddings: geminiEmbeddings,
  models,
} satisfies Provider;
