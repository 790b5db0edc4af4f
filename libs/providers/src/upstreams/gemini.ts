import type { ModelsAdapter, Provider } from '../adapter.js';
import { unlessRewritten } from '../conversation/converse.js';
import { everyClient } from '../clients/every-client.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { geminiUpstream } from '../gemini/conversation.js';
import { geminiEmbedContents } from '../gemini/embed-contents.js';
import { geminiEmbeddings } from '../gemini/embeddings.js';
import { listAt, textAt } from '../gemini/fields.js';
import { geminiReply } from '../gemini/read-reply.js';
import { geminiToUpstream, headersOf } from '../gemini/request.js';
import { urlOf } from '../gemini/settings.js';
import { GeminiPassThrough } from '../gemini/stream.js';
import { parseObject } from '../json/json.js';

const models: ModelsAdapter = {
  toUpstream: (target) => ({ method: 'GET', url: urlOf(target, 'models?pageSize=1000'), headers: headersOf(target) }),
  fromReply(body) {
    const json = parseObject(body.toString('utf8'));
    const fault = json && findFault(json);
    if (!json || !Array.isArray(json.models)) throw new Error((fault ?? unreadableReply).message);
    return listAt(json, 'models').map((model) => textAt(model, 'name').replace(/^models\//, ''));
  },
};

const converted = everyClient(geminiUpstream);

export const gemini = {
  ...converted,
  gemini: unlessRewritten(
    {
      toUpstream: geminiToUpstream,
      fromReply: geminiReply,
      openStream: (context) => new GeminiPassThrough(context),
      runsSearches: true,
    },
    converted.gemini,
  ),
  embeddings: geminiEmbeddings,
  embedContents: geminiEmbedContents,
  models,
} satisfies Provider;
