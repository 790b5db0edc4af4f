import type { JsonObject } from '../adapter.js';
import { arrayOf, objectOf, textOf } from '../json/json.js';
import type { EventPart } from '../stream/event-part.js';

const CALLS = new Set(['function_call', 'custom_tool_call', 'local_shell_call', 'apply_patch_call', 'computer_call']);
const isCall = (item: JsonObject): boolean => CALLS.has(textOf(item.type));

const textsIn = (list: unknown): string =>
  arrayOf(list)
    .map((item) => {
      const part = objectOf(item);
      return textOf(part.text) || textOf(part.refusal);
    })
    .join('');

const itemText = (item: JsonObject): string =>
  textsIn(item.content) + textsIn(item.summary) + textOf(item.name) + textOf(item.arguments) + textOf(item.input);

/** Text of a whole response for local counting. */
export function responsePart(json: JsonObject): { text: string; toolCalls: number } {
  const items = arrayOf(json.output).map(objectOf);
  return { text: items.map(itemText).join(''), toolCalls: items.filter(isCall).length };
}

export const ENDINGS = new Set(['response.completed', 'response.incomplete']);

/** Text of one stream event. Only deltas count; events that repeat the text as a whole do not. */
export function readResponsesPart(json: JsonObject): EventPart {
  const type = textOf(json.type);
  if (type.endsWith('.delta')) return { text: textOf(json.delta) };
  if (type === 'response.output_item.added') {
    const item = objectOf(json.item);
    return isCall(item) ? { text: textOf(item.name), toolCalls: 1 } : { text: '' };
  }
  const { id, model } = objectOf(json.response);
  return { text: '', isLast: ENDINGS.has(type), id: textOf(id), model: textOf(model) };
}
