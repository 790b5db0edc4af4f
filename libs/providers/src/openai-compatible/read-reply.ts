import type { Json, JsonObject, ReplyContext } from '../adapter.js';
import { citationsIn } from '../conversation/citations.js';
import type { Choice, Part, ToolCallPart } from '../conversation/conversation.js';
import type { ReadReply } from '../conversation/converse.js';
import { arrayOf, objectOf, parseObject, textOf } from '../json/json.js';
import type { UsageQuirks } from '../usage.js';
import { answerText, thoughtText } from './parts.js';
import { openAiReply } from './reply.js';

function callOf(item: Json): ToolCallPart {
  const call = objectOf(item);
  const fn = objectOf(call.function);
  return { type: 'tool-call', id: textOf(call.id), name: textOf(fn.name), arguments: textOf(fn.arguments) };
}

function partsOf(message: JsonObject): Part[] {
  const thought = thoughtText(message);
  const text = answerText(message);
  const citations = citationsIn(message.annotations);
  return [
    ...(thought ? [{ type: 'thinking' as const, text: thought }] : []),
    ...(text ? [{ type: 'text' as const, text, ...(citations.length > 0 && { citations }) }] : []),
    ...arrayOf(message.tool_calls).map(callOf),
  ];
}

function choiceOf(item: Json): Choice {
  const choice = objectOf(item);
  return { parts: partsOf(objectOf(choice.message)), finish: textOf(choice.finish_reason) };
}

/** Reads a chat completion for clients of other dialects. */
export function readChatReply(body: Buffer, context: ReplyContext, quirks: UsageQuirks): ReadReply {
  const { body: _, ...read } = openAiReply(body, { ...context, setting: {} }, quirks, 'choices');
  if (read.fault) return read;
  const json = parseObject(body.toString('utf8')) ?? {};
  const reply = { id: textOf(json.id), model: textOf(json.model), choices: arrayOf(json.choices).map(choiceOf) };
  return { ...read, reply };
}
