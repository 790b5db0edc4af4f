import type { Capabilities, EmbeddingsAdapter, TextAdapter } from '../adapter.js';
import { messagesClient } from '../anthropic/conversation.js';
import { converse } from '../conversation/converse.js';
import { geminiClient } from '../gemini/conversation.js';
import { ConvertedStream } from '../stream-fold.js';
import { chatUpstream } from './conversation.js';
import type { Habits } from './habits.js';
import { openAiModels } from './models.js';
import { reformatFold } from './reformat.js';
import { openAiReply } from './reply.js';
import { upstreamRequest } from './request.js';
import { OpenAiPassThrough } from './stream.js';

export { clamp, keepOnly } from './habits.js';
export type { Habits } from './habits.js';

/** Chat and legacy completions differ in their path only. */
const sameDialect = (habits: Habits, path: string): TextAdapter => {
  const usageHabits = habits.usage ?? {};
  const fold = reformatFold(usageHabits);
  return {
    toUpstream: (request, target) => upstreamRequest(request, target, habits, path),
    fromReply: (body, context) => openAiReply(body, context, usageHabits, 'choices'),
    openStream: (context) =>
      context.setting.force_format || context.setting.thinking_to_content
        ? new ConvertedStream(fold, context)
        : new OpenAiPassThrough(context, usageHabits),
  };
};

export const openAiEmbeddings = (habits: Habits): EmbeddingsAdapter => ({
  toUpstream: (request, target) =>
    upstreamRequest(request, { ...target, paramOverride: {} }, habits, habits.embeddingsPath ?? '/v1/embeddings'),
  fromReply: (body, context) => openAiReply(body, context, habits.usage ?? {}, 'data'),
});

/** Most upstreams speak this dialect; a new one is usually a call of this function. */
export function openAiCompatible(habits: Habits = {}): Required<Capabilities> {
  const chatPath = habits.chatPath ?? '/v1/chat/completions';
  return {
    chat: sameDialect(habits, chatPath),
    gemini: converse(geminiClient, chatUpstream(habits, chatPath)),
    messages: converse(messagesClient, chatUpstream(habits, chatPath)),
    completions: sameDialect(habits, habits.completionsPath ?? '/v1/completions'),
    embeddings: openAiEmbeddings(habits),
    models: openAiModels(habits),
  };
}
