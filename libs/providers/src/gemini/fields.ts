import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, objectOf, snakeCase, textOf } from '../json/json.js';

/** Reads a member in camel case or snake case; Google accepts both, and its own examples use both. */
export const field = (json: JsonObject, name: string): Json | undefined => json[name] ?? json[snakeCase(name)];

export const objectAt = (json: JsonObject, name: string): JsonObject => objectOf(field(json, name));
export const listAt = (json: JsonObject, name: string): JsonObject[] => arrayOf(field(json, name)).map(objectOf);
export const textAt = (json: JsonObject, name: string): string => textOf(field(json, name));

/** The client's spelling of a member that we replace; camel case if the client did not send it. */
export const spellingOf = (json: JsonObject, name: string): string =>
  json[name] === undefined && json[snakeCase(name)] !== undefined ? snakeCase(name) : name;
