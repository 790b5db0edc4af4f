import type { Json, JsonObject } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';

/**
 * Keywords that Anthropic refuses in the schema of an answer, as it does other formats than these and schemas of objects that allow more
 * members. https://platform.claude.com/docs/en/build-with-claude/structured-outputs ("JSON Schema limitations")
 */
const REFUSED = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
]);
const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'];
/** Schemas in schemas, beyond which one is refused. The size needs no limit: nothing is inlined. */
const MAX_DEPTH = 200;

function isRefused(name: string, value: Json): boolean {
  if (name === 'minItems') return value !== 0 && value !== 1;
  return REFUSED.has(name) || (name === 'format' && !FORMATS.includes(textOf(value)));
}

const one = (schema: Json, depth: number): Json => (isObject(schema) ? cleaned(schema, depth) : schema);
const list = (schemas: Json, depth: number): Json => arrayOf(schemas).map((schema) => one(schema, depth));
const named = (schemas: Json, depth: number): Json =>
  Object.fromEntries(Object.entries(objectOf(schemas)).map(([name, schema]) => [name, one(schema ?? null, depth)]));

/** Writers of the keywords that hold schemas. */
const holders: Readonly<Record<string, (value: Json, depth: number) => JsonObject>> = {
  items: (schema, depth) => ({ items: one(schema, depth) }),
  anyOf: (schemas, depth) => ({ anyOf: list(schemas, depth) }),
  oneOf: (schemas, depth) => ({ anyOf: list(schemas, depth) }),
  allOf: (schemas, depth) => ({ allOf: arrayOf(schemas).length > 1 ? schemas : list(schemas, depth) }),
  properties: (schemas, depth) => ({ properties: named(schemas, depth) }),
  $defs: (schemas, depth) => ({ $defs: named(schemas, depth) }),
  definitions: (schemas, depth) => ({ definitions: named(schemas, depth) }),
  // It constrains nothing.
  $schema: () => ({}),
};

/** Keywords beside which `properties` are not all that an object may have. */
const PARTS = ['allOf', 'anyOf', 'oneOf'];

/**
 * An object whose members are all named has no others. Any other object stays as it is, so that Anthropic refuses it: the answer would be
 * another one without the members that are not named here.
 */
const closed = (schema: JsonObject): JsonObject =>
  isObject(schema.properties) && !isObject(schema.additionalProperties) && !PARTS.some((name) => name in schema)
    ? { additionalProperties: false }
    : {};

function described({ description }: JsonObject, said: [string, Json][]): JsonObject {
  if (said.length === 0) return {};
  const words = said.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ');
  return { description: [textOf(description), `(${words})`].filter(Boolean).join(' ') };
}

function cleaned(schema: JsonObject, depth: number): JsonObject {
  if (depth > MAX_DEPTH) throw new RequestRejected('invalid_text_request', 'the schema is too deep for claude');
  const entries = Object.entries(schema).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  const kept = entries.filter(([name, value]) => !isRefused(name, value));
  const written = kept.map(([name, value]) => {
    const write = Object.hasOwn(holders, name) ? holders[name] : undefined;
    return write ? write(value, depth + 1) : { [name]: value };
  });
  const said = entries.filter(([name, value]) => isRefused(name, value));
  return Object.assign({}, ...written, closed(schema), described(schema, said)) as JsonObject;
}

/**
 * The schema of an answer as Anthropic takes it: keywords that it refuses are said in the description, and objects have no other members.
 * Throws `RequestRejected` for a schema that is too deep.
 */
export const answerSchema = (schema: JsonObject): JsonObject => cleaned(schema, 0);
