import type { Json, JsonObject, Reply, ReplyContext } from '../adapter.js';
import { arrayOf, objectOf, parseObject, textOf } from '../json.js';
import type { UsageHabits } from '../usage.js';
import { toAnthropicUsage } from '../usage.js';
import { openAiReply } from './reply.js';

const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  max_tokens: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

export const toStopReason = (finishReason: string): string => stopReasons[finishReason] ?? (finishReason || 'end_turn');

/** Arguments that are no JSON object become an empty input: the client must still be able to answer the call. */
const inputOf = (text: string): JsonObject => parseObject(text) ?? {};

function toolUse(item: Json, index: number, requestId: string): JsonObject {
  const call = objectOf(item);
  const fn = objectOf(call.function);
  return {
    type: 'tool_use',
    id: textOf(call.id) || `toolu_${requestId}_${index}`,
    name: textOf(fn.name),
    input: inputOf(textOf(fn.arguments)),
  };
}

function contentBlocks(message: JsonObject, requestId: string): JsonObject[] {
  const thinking = textOf(message.reasoning_content) || textOf(message.reasoning);
  const text = textOf(message.content) || textOf(message.refusal);
  return [
    ...(thinking ? [{ type: 'thinking', thinking, signature: '' }] : []),
    ...(text ? [{ type: 'text', text }] : []),
    ...arrayOf(message.tool_calls).map((call, index) => toolUse(call, index, requestId)),
  ];
}

/** An OpenAI completion as an Anthropic message; of several choices the first, since a message has only one. */
export function toAnthropicReply(body: Buffer, context: ReplyContext, habits: UsageHabits): Reply {
  const reply = openAiReply(body, { ...context, setting: {} }, habits, 'choices');
  if (reply.fault) return reply;
  const json = parseObject(body.toString('utf8')) ?? {};
  const choice = objectOf(arrayOf(json.choices)[0]);
  const content = contentBlocks(objectOf(choice.message), context.requestId);
  const hasTools = content.some((block) => block.type === 'tool_use');
  const message = {
    id: textOf(json.id) || `msg_${context.requestId}`,
    type: 'message',
    role: 'assistant',
    model: textOf(json.model) || context.model,
    content: content.length > 0 ? content : [{ type: 'text', text: '' }],
    stop_reason: hasTools ? 'tool_use' : toStopReason(textOf(choice.finish_reason)),
    stop_sequence: null,
    usage: reply.usage ? toAnthropicUsage(reply.usage) : { input_tokens: context.promptTokens, output_tokens: 0 },
  };
  return { ...reply, body: Buffer.from(JSON.stringify(message)) };
}
