import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, objectOf, snakeCase, textOf } from '../json/json.js';

/** Google reads every name in both of its spellings, and so do its own examples. */
export const field = (json: JsonObject, name: string): Json | undefined => json[name] ?? json[snakeCase(name)];

export const objectAt = (json: JsonObject, name: string): JsonObject => objectOf(field(json, name));
export const listAt = (json: JsonObject, name: string): JsonObject[] => arrayOf(field(json, name)).map(objectOf);
export const textAt = (json: JsonObject, name: string): string => textOf(field(json, name));

/** The spelling in which the client wrote a member that we replace; ours where it wrote none. */
export const spellingOf = (json: JsonObject, name: string): string =>
  json[name] === undefined && json[snakeCase(name)] !== undefined ? snakeCase(name) : name;
