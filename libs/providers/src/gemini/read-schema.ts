import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, isObject, objectOf, snakeCase } from '../json/json.js';

/** Google writes these numbers as texts, because they have 64 bits, and accepts both. */
const COUNTS = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'];
/** Members with values of the client's own, which are no schemas. */
const VALUES = new Set(['enum', 'example', 'default']);
/** Google also accepts these names in snake case. */
const NAMES = new Map(['anyOf', 'propertyOrdering', ...COUNTS].map((name) => [snakeCase(name), name]));

function readMember(name: string, value: Json): Json {
  if (VALUES.has(name)) return value;
  if (name === 'type' && typeof value === 'string') return value.toLowerCase();
  // Any other text is left for the upstream to refuse.
  if (COUNTS.includes(name) && typeof value === 'string') return /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (name === 'properties' && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, jsonSchemaOf(objectOf(item))]));
  if (Array.isArray(value)) return value.map((item) => (isObject(item) ? jsonSchemaOf(item) : item));
  return isObject(value) ? jsonSchemaOf(value) : value;
}

/** JSON Schema has `null` among the types, and among the values where they are listed. */
const orNull = ({ type, enum: values, anyOf, ...rest }: JsonObject): JsonObject => ({
  ...rest,
  ...(type !== undefined && { type: [...new Set([...(Array.isArray(type) ? type : [type]), 'null'])] }),
  ...(values !== undefined && { enum: [...new Set([...arrayOf(values), null])] }),
  ...(anyOf !== undefined && { anyOf: [...arrayOf(anyOf), { type: 'null' }] }),
});

/** A schema of Google's as JSON Schema. Google names types in upper case, and has `nullable` and an order of the properties besides. */
export function jsonSchemaOf(schema: JsonObject): JsonObject {
  const named = Object.entries(schema).map(([name, value]): [string, Json] => [NAMES.get(name) ?? name, value ?? null]);
  const read = named.map(([name, value]): [string, Json] => [name, readMember(name, value)]);
  const { nullable, propertyOrdering, ...plain } = Object.fromEntries(read) as JsonObject;
  return nullable === true ? orNull(plain) : plain;
}
