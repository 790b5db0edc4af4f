import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';
import { wordsOf } from '../json/lazy-json.js';

const isStated = (value: Json | undefined): boolean => value !== undefined && value !== null;

/** The content of an item, whatever it is called: words of a message, the answer of a tool, a picture of a screen. */
function contentOf(item: JsonObject): JsonObject[] {
  const list = [...arrayOf(item.content), ...arrayOf(item.output)].map(objectOf);
  const screen = objectOf(item.output);
  return isObject(item.output) ? [...list, { type: 'input_image', image_url: textOf(screen.image_url) }] : list;
}

/** What of a body of POST /v1/responses bounds its cost, in the names of chat. Long texts are not searched. */
export function responsesBounds(json: JsonObject): JsonObject {
  const items = arrayOf(wordsOf(json, 'input', 0)).map(objectOf);
  return {
    max_tokens: json.max_output_tokens,
    messages: items.map((item) => ({ content: contentOf(item) })),
    tools: json.tools,
  };
}

/** An item that names one which stands at the upstream, by a type of its own or by nothing but an id. */
const isReference = (item: JsonObject): boolean =>
  item.type === 'item_reference' || (isStated(item.id) && !isStated(item.type) && !isStated(item.content));

/** Whether words that stand at the upstream are read again: what was said before, in a conversation or item by item, or a prompt that is kept there. */
export const continues = (json: JsonObject): boolean =>
  [json.previous_response_id, json.conversation, json.prompt].some(isStated) ||
  arrayOf(wordsOf(json, 'input', 0)).some((item) => isReference(objectOf(item)));
