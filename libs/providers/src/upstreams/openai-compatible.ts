import type { Capabilities, EmbeddingsAdapter, TextAdapter, UploadAdapter } from '../adapter.js';
import { messagesClient } from '../anthropic/conversation.js';
import { converse } from '../conversation/converse.js';
import { geminiClient } from '../gemini/conversation.js';
import { chatUpstream } from '../openai-compatible/conversation.js';
import type { Habits } from '../openai-compatible/habits.js';
import { openAiModels } from '../openai-compatible/models.js';
import { reformatFold } from '../openai-compatible/reformat.js';
import { openAiReply } from '../openai-compatible/reply.js';
import { upstreamRequest } from '../openai-compatible/request.js';
import { OpenAiPassThrough } from '../openai-compatible/stream.js';
import { openAiTranscriptions } from '../openai-compatible/transcription.js';
import { ConvertedStream } from '../stream-fold.js';

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

/** Speech to text, of upstreams that have it. */
export const openAiAudio = (habits: Habits): Record<'transcriptions' | 'translations', UploadAdapter> => ({
  transcriptions: openAiTranscriptions(habits, '/v1/audio/transcriptions'),
  translations: openAiTranscriptions(habits, '/v1/audio/translations'),
});

export type TextCapabilities = Required<Omit<Capabilities, 'transcriptions' | 'translations'>>;

/** Most upstreams speak this dialect; a new one is usually a call of this function. */
export function openAiCompatible(habits: Habits = {}): TextCapabilities {
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
