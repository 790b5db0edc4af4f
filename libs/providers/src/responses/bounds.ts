import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';
import { wordsOf } from '../json/lazy-json.js';

const isStated = (value: Json | undefined): boolean => value !== undefined && value !== null;

/** Contents of an item, under any name: parts of a message, output of a tool, a screenshot, an earlier picture of the model. */
function contentOf(item: JsonObject): JsonObject[] {
  if (item.type === 'image_generation_call') return [{ type: 'image', image: textOf(item.result) }];
  if (typeof item.content === 'string') return [{ type: 'text', text: item.content }];
  const list = [...arrayOf(item.content), ...arrayOf(item.output)].map(objectOf);
  const screen = objectOf(item.output);
  return isObject(item.output) ? [...list, { type: 'input_image', image_url: textOf(screen.image_url) }] : list;
}

/** The members of a Responses body that bound its cost, under their names in chat. Long texts are skipped. */
export function responsesBounds(json: JsonObject): JsonObject {
  const items = arrayOf(wordsOf(json, 'input', 0)).map(objectOf);
  return {
    max_tokens: json.max_output_tokens,
    messages: items.map((item) => ({ role: item.role ?? null, content: contentOf(item) })),
    tools: json.tools,
  };
}

/** Whether an item refers to one stored at the upstream, by its type or by having only an id. */
const isReference = (item: JsonObject): boolean =>
  item.type === 'item_reference' || (isStated(item.id) && !isStated(item.type) && !isStated(item.content));

/** Whether the request makes the upstream read stored content again: an earlier conversation, single items, or a stored prompt. */
export const continues = (json: JsonObject): boolean =>
  [json.previous_response_id, json.conversation, json.prompt].some(isStated) ||
  arrayOf(wordsOf(json, 'input', 0)).some((item) => isReference(objectOf(item)));
