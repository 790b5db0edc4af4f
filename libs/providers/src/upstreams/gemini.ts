import type { ModelsAdapter, Provider } from '../adapter.js';
import { unlessRewritten } from '../conversation/converse.js';
import { everyClient } from '../clients/every-client.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { geminiUpstream } from '../gemini/conversation.js';
import { geminiEmbedContents } from '../gemini/embed-contents.js';
import { geminiEmbeddings } from '../gemini/embeddings.js';
import { listAt, textAt } from '../gemini/fields.js';
import { geminiReply } from '../gemini/read-reply.js';
import { remotePictures } from '../gemini/remote-pictures.js';
import { geminiToUpstream } from '../gemini/request.js';
import { DEFAULT_BASE_URL } from '../gemini/settings.js';
import { GeminiPassThrough } from '../gemini/stream.js';
import { parseObject } from '../json/json.js';

/** The list comes from Google's address for OpenAI clients, as documented. A proxy may answer in Gemini's own form. */
const models: ModelsAdapter = {
  toUpstream: ({ baseUrl, key }) => ({
    method: 'GET',
    url: `${(baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, '')}/v1beta/openai/models`,
    headers: { accept: 'application/json', authorization: `Bearer ${key}` },
  }),
  fromReply(body) {
    const json = parseObject(body.toString('utf8'));
    const fault = json && findFault(json);
    if (!json || !Array.isArray(json.data ?? json.models)) throw new Error((fault ?? unreadableReply).message);
    const names = [
      ...listAt(json, 'data').map((model) => textAt(model, 'id')),
      ...listAt(json, 'models').map((model) => textAt(model, 'name')),
    ].map((name) => name.replace(/^models\//, ''));
    return [...new Set(names.filter(Boolean))];
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
  remoteMedia: remotePictures,
  models,
} satisfies Provider;
