import type { Usage } from '@tollgate/contracts';
import type { JsonObject, ReplyContext } from '../adapter.js';
import { generatedCallId } from '../conversation/call-ids.js';
import { messagesCitation } from '../conversation/citations.js';
import type { Choice, ConversationReply, ToolCallPart } from '../conversation/conversation.js';
import { callsIn, citationsOf, joined, shownText } from '../conversation/conversation.js';
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

/** Some upstreams end an answer with calls like any other, or state no reason. After any other reason its calls may not be whole. */
const CALLING = ['', 'stop', 'tool_calls', 'function_call'];

export const toStopReason = (finishReason: string, hasCalls: boolean): string =>
  hasCalls && CALLING.includes(finishReason) ? 'tool_use' : (stopReasons[finishReason] ?? (finishReason || 'end_turn'));

export const toolUseId = (id: string, requestId: string, index: number): string =>
  id || generatedCallId('toolu', requestId, index);

/** The calls of an answer, without a last one that the limit cut. */
function wholeCalls({ parts, finish }: Choice): ToolCallPart[] {
  const calls = callsIn(parts);
  const isCut = stopReasons[finish] === 'max_tokens' && parseObject(calls.at(-1)?.arguments ?? '') === undefined;
  return isCut ? calls.slice(0, -1) : calls;
}

function contentBlocks(choice: Choice, requestId: string): JsonObject[] {
  const { parts } = choice;
  const thinking = joined(parts, 'thinking');
  const text = parts.map(shownText).join('');
  const words = joined(parts, 'text');
  const citations = citationsOf(parts).map((citation) => messagesCitation(citation, words));
  const calls = wholeCalls(choice).map(({ id, name, arguments: written }, index) => ({
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
  const choice = choices[0] ?? { parts: [], finish: '' };
  const content = contentBlocks(choice, context.requestId);
  const hasTools = content.some((block) => block.type === 'tool_use');
  return {
    id: id || `msg_${context.requestId}`,
    type: 'message',
    role: 'assistant',
    model: model || context.model,
    content,
    stop_reason: toStopReason(choice.finish, hasTools),
    stop_sequence: null,
    usage: usage ? toAnthropicUsage(usage) : { input_tokens: context.promptTokens, output_tokens: 0 },
  };
}
