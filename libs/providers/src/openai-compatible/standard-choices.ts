import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, isObject } from '../json.js';

const CHOICE_MEMBERS = ['index', 'delta', 'message', 'text', 'logprobs', 'finish_reason'];
/** Of a message or a piece of one. */
const SPOKEN_MEMBERS = [
  ...['role', 'content', 'reasoning_content', 'reasoning', 'refusal', 'tool_calls', 'function_call'],
  ...['audio', 'annotations'],
];

const only = (json: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.filter((name) => json[name] !== undefined).map((name) => [name, json[name]]));

function standardChoice(choice: Json): Json {
  if (!isObject(choice)) return choice;
  const { delta, message } = choice;
  return {
    ...only(choice, CHOICE_MEMBERS),
    ...(isObject(delta) && { delta: only(delta, SPOKEN_MEMBERS) }),
    ...(isObject(message) && { message: only(message, SPOKEN_MEMBERS) }),
  };
}

/** Only the named members of a reply or a chunk, and of its choices only those of the standard. */
export const standardMembers = (json: JsonObject, names: readonly string[]): JsonObject => ({
  ...only(json, names),
  ...(Array.isArray(json.choices) && { choices: arrayOf(json.choices).map(standardChoice) }),
});
