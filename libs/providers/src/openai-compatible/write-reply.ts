import type { Usage } from '@tollgate/contracts';
import type { JsonObject, ReplyContext } from '../adapter.js';
import { generatedCallId } from '../conversation/call-ids.js';
import { chatAnnotation } from '../conversation/citations.js';
import type { Choice, ConversationReply, Part, ToolCallPart } from '../conversation/conversation.js';
import { callsIn, citationsOf, joined, shownText } from '../conversation/conversation.js';
import { toOpenAiUsage } from '../usage.js';

/** Members for a thought signature, as in Google's OpenAI-compatible endpoint. */
export const extraOf = (signature: string | undefined): JsonObject =>
  signature ? { extra_content: { google: { thought_signature: signature } } } : {};

/** Only calls of a delta are numbered, those of a message are not. */
const callOf = (part: ToolCallPart, index: number, requestId: string): JsonObject => ({
  id: part.id || generatedCallId('call', requestId, index),
  type: 'function',
  function: { name: part.name, arguments: part.arguments },
  ...extraOf(part.signature),
});

function messageOf(parts: Part[], requestId: string): JsonObject {
  const reasoning = joined(parts, 'thinking');
  const calls = callsIn(parts).map((part, index) => callOf(part, index, requestId));
  const text = parts.map(shownText).join('');
  const citations = citationsOf(parts);
  return {
    role: 'assistant',
    content: text || (calls.length > 0 ? null : ''),
    ...(reasoning && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(citations.length > 0 && { annotations: citations.map(chatAnnotation) }),
  };
}

const choiceOf = ({ parts, finish }: Choice, index: number, { requestId }: ReplyContext): JsonObject => ({
  index,
  message: messageOf(parts, requestId),
  logprobs: null,
  finish_reason: finish || 'stop',
});

/** Writes a chat completion. */
export const writeChatReply = (
  reply: ConversationReply,
  usage: Usage | undefined,
  context: ReplyContext,
): JsonObject => ({
  id: reply.id || `chatcmpl-${context.requestId}`,
  object: 'chat.completion',
  created: context.nowSeconds,
  model: reply.model || context.model,
  choices: reply.choices.map((choice, index) => choiceOf(choice, index, context)),
  ...(usage && { usage: toOpenAiUsage(usage) }),
});
