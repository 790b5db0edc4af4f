import type { Usage } from '@tollgate/contracts';
import type { JsonObject, ReplyContext } from '../adapter.js';
import { generatedCallId } from '../conversation/call-ids.js';
import { messagesCitation } from '../conversation/citations.js';
import type { ConversationReply, Part } from '../conversation/conversation.js';
import { callsIn, citationsOf, joined } from '../conversation/conversation.js';
import { parseObject } from '../json/json.js';
import { toAnthropicUsage } from '../usage.js';

const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  max_tokens: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

export const toStopReason = (finishReason: string): string => stopReasons[finishReason] ?? (finishReason || 'end_turn');

export const toolUseId = (id: string, requestId: string, index: number): string =>
  id || generatedCallId('toolu', requestId, index);

function contentBlocks(parts: Part[], requestId: string): JsonObject[] {
  const thinking = joined(parts, 'thinking');
  const text = joined(parts, 'text');
  const citations = citationsOf(parts).map((citation) => messagesCitation(citation, text));
  const calls = callsIn(parts).map(({ id, name, arguments: written }, index) => ({
    type: 'tool_use',
    id: toolUseId(id, requestId, index),
    name,
    // Arguments that are not a JSON object become an empty input, so that the client can still answer the call.
    input: parseObject(written) ?? {},
  }));
  return [
    ...(thinking ? [{ type: 'thinking', thinking, signature: '' }] : []),
    ...(text ? [{ type: 'text', text, ...(citations.length > 0 && { citations }) }] : []),
    ...calls,
  ];
}

/** Writes an Anthropic message. A message has one answer, so further ones are dropped. */
export function writeMessagesReply(
  { id, model, choices }: ConversationReply,
  usage: Usage | undefined,
  context: ReplyContext,
): JsonObject {
  const { parts, finish } = choices[0] ?? { parts: [], finish: '' };
  const content = contentBlocks(parts, context.requestId);
  const hasTools = content.some((block) => block.type === 'tool_use');
  return {
    id: id || `msg_${context.requestId}`,
    type: 'message',
    role: 'assistant',
    model: model || context.model,
    content: content.length > 0 ? content : [{ type: 'text', text: '' }],
    stop_reason: hasTools ? 'tool_use' : toStopReason(finish),
    stop_sequence: null,
    usage: usage ? toAnthropicUsage(usage) : { input_tokens: context.promptTokens, output_tokens: 0 },
  };
}
