import type { Json, Reply, ReplyContext } from '../adapter.js';
import type { Part } from '../conversation/conversation.js';
import type { ReadReply } from '../conversation/converse.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { arrayOf, objectOf, parseObject, textOf } from '../json/json.js';
import { statedSearches } from '../request/search-tools.js';
import { appendText, noText } from '../stream/transcript.js';
import { closingUsage } from '../usage.js';
import { messagePart } from './parts.js';

const finishReasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

export const toFinishReason = (stopReason: string): string => finishReasons[stopReason] ?? (stopReason || 'stop');

/** Reads a whole message for an Anthropic client. The client gets the upstream's bytes, which are parsed for usage and errors only. */
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
      const { text, toolCalls, searches } = messagePart(json);
      return { ...appendText(noText, text, toolCalls), ...statedSearches({ web: searches }) };
    },
  };
}

function partsOf(item: Json): Part[] {
  const block = objectOf(item);
  if (block.type === 'text') return [{ type: 'text', text: textOf(block.text) }];
  if (block.type === 'thinking') return [{ type: 'thinking', text: textOf(block.thinking) }];
  if (block.type !== 'tool_use') return [];
  const { id, name, input } = block;
  return [{ type: 'tool-call', id: textOf(id), name: textOf(name), arguments: JSON.stringify(input ?? {}) }];
}

/** Reads a whole message for clients of other dialects. */
export function readMessagesReply(body: Buffer, context: ReplyContext): ReadReply {
  const { body: _, ...read } = anthropicReply(body, context);
  if (read.fault) return read;
  const json = parseObject(body.toString('utf8')) ?? {};
  const choice = { parts: arrayOf(json.content).flatMap(partsOf), finish: toFinishReason(textOf(json.stop_reason)) };
  return { ...read, reply: { id: textOf(json.id), model: textOf(json.model), choices: [choice] } };
}
