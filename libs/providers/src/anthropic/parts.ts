import type { JsonObject } from '../adapter.js';
import { arrayOf, objectOf, textOf } from '../json/json.js';
import type { EventPart } from '../stream/event-part.js';

function blockText(block: JsonObject): string {
  if (block.type === 'tool_use') return textOf(block.name) + JSON.stringify(block.input ?? {});
  return textOf(block.text) + textOf(block.thinking);
}

/** Text of a whole message as local counting sees it. */
export function messagePart(json: JsonObject): { text: string; toolCalls: number; searches: number } {
  const blocks = arrayOf(json.content).map(objectOf);
  return {
    text: blocks.map(blockText).join(''),
    toolCalls: blocks.filter(({ type }) => type === 'tool_use').length,
    searches: blocks.filter(isFound).length,
  };
}

/** Whether a block holds search results; a failed search has an error object in place of the list. */
const isFound = ({ type, content }: JsonObject): boolean => type === 'web_search_tool_result' && Array.isArray(content);

const readers: Readonly<Record<string, (json: JsonObject) => EventPart>> = {
  message_start: (json) => {
    const message = objectOf(json.message);
    return { text: '', id: textOf(message.id), model: textOf(message.model) };
  },
  content_block_start: (json) => {
    const block = objectOf(json.content_block);
    if (isFound(block)) return { text: '', searches: 1 };
    const isTool = block.type === 'tool_use';
    return {
      text: isTool ? textOf(block.name) : textOf(block.text) + textOf(block.thinking),
      toolCalls: isTool ? 1 : 0,
    };
  },
  content_block_delta: (json) => {
    const delta = objectOf(json.delta);
    return { text: textOf(delta.text) + textOf(delta.thinking) + textOf(delta.partial_json) };
  },
  message_delta: (json) => ({ text: '', isLast: textOf(objectOf(json.delta).stop_reason) !== '' }),
};

export const readAnthropicPart = (json: JsonObject): EventPart => readers[textOf(json.type)]?.(json) ?? { text: '' };
