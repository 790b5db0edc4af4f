import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, isObject } from '../json/json.js';

/** Keywords of JSON Schema that Gemini refuses. */
const UNKNOWN = new Set([
  'title',
  '$schema',
  '$id',
  'additionalProperties',
  'default',
  'exclusiveMaximum',
  'exclusiveMinimum',
]);
const FORMATS = new Set(['enum', 'date-time']);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf']);

/** Gemini has no list of types; a list becomes its first type, nullable if it contains `null`. */
function typeOf(type: Json): JsonObject {
  if (!Array.isArray(type)) return { type };
  const [first] = type.filter((item) => item !== 'null');
  return { type: first, ...(type.includes('null') && { nullable: true }) };
}

function member(name: string, value: Json): JsonObject {
  if (name === 'properties' && isObject(value)) return { properties: mapped(value) };
  if (name === 'items') return { items: isObject(value) ? cleanSchema(value) : value };
  if (LISTS.has(name)) return { [name]: arrayOf(value).map((item) => (isObject(item) ? cleanSchema(item) : item)) };
  if (name === 'type') return typeOf(value);
  return name === 'format' && !FORMATS.has(String(value)) ? {} : { [name]: value };
}

const mapped = (properties: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, isObject(value) ? cleanSchema(value) : value]),
  );

/** A JSON Schema without what Gemini refuses. */
export function cleanSchema(schema: JsonObject): JsonObject {
  const members = Object.entries(schema).filter(([name, value]) => value !== undefined && !UNKNOWN.has(name));
  return Object.assign({}, ...members.map(([name, value]) => member(name, value ?? null))) as JsonObject;
}
