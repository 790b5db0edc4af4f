import type { TextAdapter } from '../adapter.js';
import { ConvertedStream } from '../stream-fold.js';
import type { Habits } from './habits.js';
import { toAnthropicReply } from './messages-reply.js';
import { toOpenAiRequest } from './messages-request.js';
import { messagesFold } from './messages-stream.js';
import { upstreamRequest } from './request.js';

/** Anthropic clients over an upstream of the OpenAI dialect. A channel's parameter override does not apply to them. */
export function messagesOverOpenAi(habits: Habits, path: string): TextAdapter {
  const usageHabits = habits.usage ?? {};
  const fold = messagesFold(usageHabits);
  return {
    toUpstream(request, target) {
      const json = toOpenAiRequest(request.json);
      const converted = { ...request, json, bytes: Buffer.from(JSON.stringify(json)) };
      return upstreamRequest(converted, { ...target, paramOverride: {} }, habits, path);
    },
    fromReply: (body, context) => toAnthropicReply(body, context, usageHabits),
    openStream: (context) => new ConvertedStream(fold, context),
  };
}
