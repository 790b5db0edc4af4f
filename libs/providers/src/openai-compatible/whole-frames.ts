import type { Usage } from '@tollgate/contracts';
import type { JsonObject, ReplyContext } from '../adapter.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';
import { dataFrame } from '../stream/stream-fold.js';
import { toOpenAiUsage } from '../usage.js';

/** Unlike in a message, calls in a delta are numbered. */
const deltaOf = ({ tool_calls: calls, ...message }: JsonObject): JsonObject => ({
  ...message,
  ...(Array.isArray(calls) && { tool_calls: calls.map((call, index) => ({ index, ...objectOf(call) })) }),
});

/** All that a choice says; a choice of legacy completions has a text in place of a message. */
const saidIn = ({ message, ...choice }: JsonObject, index: number): JsonObject => ({
  index,
  ...choice,
  ...(isObject(message) && { delta: deltaOf(message) }),
  finish_reason: null,
});

const endOf = ({ index, message, finish_reason: reason }: JsonObject, place: number): JsonObject => ({
  index: index ?? place,
  ...(isObject(message) ? { delta: {} } : { text: '' }),
  finish_reason: textOf(reason) || 'stop',
});

/** Writes a whole completion as the chunks of a stream; `usage` is the booked usage. */
export function chatFrames(reply: JsonObject, { includeUsage }: ReplyContext, usage: Usage): string[] {
  const { choices, usage: stated, ...rest } = reply;
  const items = arrayOf(choices).map(objectOf);
  const object = items.some(({ message }) => isObject(message)) ? 'chat.completion.chunk' : 'text_completion';
  const chunkOf = (parts: JsonObject): string => dataFrame({ ...rest, object, ...parts });
  return [
    chunkOf({ choices: items.map(saidIn) }),
    chunkOf({ choices: items.map(endOf) }),
    ...(includeUsage ? [chunkOf({ choices: [], usage: isObject(stated) ? stated : toOpenAiUsage(usage) })] : []),
    'data: [DONE]\n\n',
  ];
}
