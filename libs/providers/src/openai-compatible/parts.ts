import type { Json, JsonObject, ReplyContext } from '../adapter.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';
import type { ChoicePart } from '../stream/choice-ends.js';
import type { SseEvent } from '../stream/sse.js';
import type { FoldState } from '../stream/stream-fold.js';
import { readJsonEvent } from '../stream/stream-fold.js';
import type { EventPart } from '../stream/event-part.js';

/** The number of a choice; some servers state none. */
export const choiceIndex = ({ index }: JsonObject, position: number): number =>
  typeof index === 'number' ? index : position;

const callText = (call: Json): string => {
  const fn = objectOf(objectOf(call).function);
  return textOf(fn.name) + textOf(fn.arguments);
};

/** Content is a string or a list of parts. */
function textIn(content: Json | undefined, read: (part: JsonObject) => string): string {
  if (!Array.isArray(content)) return textOf(content);
  return content.map((item) => (typeof item === 'string' ? item : read(objectOf(item)))).join('');
}

/** Parts of reasoning models may hold their thoughts as nested parts. */
const contentText = (content: Json | undefined): string =>
  textIn(content, ({ text, thinking }) => contentText(text) + contentText(thinking));

/** The text of a message or delta that is meant for the user. */
export const answerText = ({ content, refusal }: JsonObject): string =>
  textIn(content, ({ text }) => contentText(text)) || textOf(refusal);

const statedThought = ({ reasoning_content: long, reasoning: short }: JsonObject): string =>
  textOf(long) || textOf(short);

/** The thoughts of a message or delta, from a member of their own or from the parts of its content. */
export const thoughtText = (message: JsonObject): string => {
  const { content } = message;
  return (
    statedThought(message) || (Array.isArray(content) ? textIn(content, ({ thinking }) => contentText(thinking)) : '')
  );
};

/** The thoughts that are not in the content. */
const reasoningText = (message: JsonObject): string =>
  statedThought(message) ||
  arrayOf(message.reasoning_details)
    .map((item) => textOf(objectOf(item).text) || textOf(objectOf(item).summary))
    .join('');

/** Text of a message or delta for local counting: content, reasoning, tool names and arguments. */
function messageText(message: JsonObject): { text: string; toolCalls: number } {
  const calls = arrayOf(message.tool_calls);
  const legacy = objectOf(message.function_call);
  const text =
    contentText(message.content) +
    reasoningText(message) +
    textOf(message.refusal) +
    textOf(objectOf(message.audio).transcript) +
    textOf(legacy.name) +
    textOf(legacy.arguments) +
    calls.map(callText).join('');
  return { text, toolCalls: calls.length };
}

/** Reads a chunk or a whole reply. Its choices have a `delta`, a `message` or, for completions, a `text`. */
export function readOpenAiPart(json: JsonObject): EventPart {
  const choices: ChoicePart[] = [];
  const part: EventPart = { text: '', toolCalls: 0, id: textOf(json.id), model: textOf(json.model), choices };
  for (const [position, item] of arrayOf(json.choices).entries()) {
    const choice = objectOf(item);
    const isWhole = !choice.delta && isObject(choice.message);
    const { text: spoken, toolCalls } = messageText(objectOf(isWhole ? choice.message : choice.delta));
    const text = spoken + textOf(choice.text);
    part.text += text;
    part.toolCalls = Math.max(part.toolCalls ?? 0, toolCalls);
    const isLast = textOf(choice.finish_reason) !== '';
    choices.push({ index: choiceIndex(choice, position), isLast, text, isWhole });
    if (isLast) part.isLast = true;
  }
  return part;
}

/** As `readJsonEvent`, but recognises OpenAI's terminal event `[DONE]`, which is not JSON. */
export const readOpenAiEvent = <State extends FoldState>(
  state: State,
  event: SseEvent,
  context: ReplyContext,
): { state: State; json?: JsonObject } =>
  event.data?.trim() === '[DONE]' ? { state: { ...state, isDone: true } } : readJsonEvent(state, event, context);
