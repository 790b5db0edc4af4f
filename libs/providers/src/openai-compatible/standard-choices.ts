import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, isObject, objectOf } from '../json/json.js';
import { choiceIndex } from './parts.js';

const CHOICE_MEMBERS = ['delta', 'message', 'text', 'logprobs'];
/** Standard members of a message, or of a delta in a stream. */
const SPOKEN_MEMBERS = [
  ...['role', 'content', 'reasoning_content', 'reasoning', 'refusal', 'tool_calls', 'function_call'],
  ...['audio', 'annotations'],
];

const only = (json: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.filter((name) => json[name] !== undefined).map((name) => [name, json[name]]));

/** The standard members of a message; empty if the value is not an object. */
const spokenIn = (value: Json | undefined): JsonObject => only(objectOf(value), SPOKEN_MEMBERS);

/** Clients demand the number and the finish reason, which some servers leave out. */
const standardChoice = (choice: JsonObject, position: number): JsonObject => ({
  index: choiceIndex(choice, position),
  ...only(choice, CHOICE_MEMBERS),
  ...(choice.delta !== undefined && { delta: spokenIn(choice.delta) }),
  ...(choice.message !== undefined && { message: spokenIn(choice.message) }),
  finish_reason: choice.finish_reason ?? null,
});

/** The named members of a reply or chunk, with its choices reduced to standard members; items that are not objects are dropped. */
export const standardMembers = (json: JsonObject, names: readonly string[]): JsonObject => ({
  ...only(json, names),
  ...(json.choices !== undefined && {
    choices: arrayOf(json.choices).flatMap((item, position) =>
      isObject(item) ? [standardChoice(item, position)] : [],
    ),
  }),
});
