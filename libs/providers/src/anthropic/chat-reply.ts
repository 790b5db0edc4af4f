import type { JsonObject, Reply, ReplyContext } from '../adapter.js';
import { findFault, unreadableReply } from '../faults.js';
import { arrayOf, objectOf, parseObject, textOf } from '../json.js';
import { appendText, noText } from '../transcript.js';
import { closingUsage, toOpenAiUsage } from '../usage.js';
import { messagePart } from './parts.js';

const finishReasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

export const toFinishReason = (stopReason: string): string => finishReasons[stopReason] ?? (stopReason || 'stop');

/** A whole message for an Anthropic client: its own bytes, read for usage and errors. */
export function anthropicReply(body: Buffer, context: ReplyContext): Reply {
  const json = parseObject(body.toString('utf8'));
  const fault = json ? findFault(json, context.secrets) : unreadableReply;
  if (!json || fault || !Array.isArray(json.content)) {
    return { body, usage: undefined, fault: fault ?? unreadableReply, text: () => noText };
  }
  return {
    body,
    usage: closingUsage(json.usage),
    text: () => {
      const { text, toolCalls } = messagePart(json);
      return appendText(noText, text, toolCalls);
    },
  };
}

const join = (blocks: JsonObject[], type: string, member: string): string =>
  blocks
    .filter((block) => block.type === type)
    .map((block) => textOf(block[member]))
    .join('');

function messageOf(blocks: JsonObject[]): JsonObject {
  const reasoning = join(blocks, 'thinking', 'thinking');
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }, index) => ({
      index,
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(input ?? {}) },
    }));
  const text = join(blocks, 'text', 'text');
  return {
    role: 'assistant',
    content: text || (calls.length > 0 ? null : ''),
    ...(reasoning && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** A message as a chat completion. */
export function toChatReply(body: Buffer, context: ReplyContext): Reply {
  const reply = anthropicReply(body, context);
  if (reply.fault) return reply;
  const json = parseObject(body.toString('utf8')) ?? {};
  const completion = {
    id: textOf(json.id) || `chatcmpl-${context.requestId}`,
    object: 'chat.completion',
    created: context.nowSeconds,
    model: textOf(json.model) || context.model,
    choices: [
      {
        index: 0,
        message: messageOf(arrayOf(json.content).map(objectOf)),
        logprobs: null,
        finish_reason: toFinishReason(textOf(json.stop_reason)),
      },
    ],
    ...(reply.usage && { usage: toOpenAiUsage(reply.usage) }),
  };
  return { ...reply, body: Buffer.from(JSON.stringify(completion)) };
}
