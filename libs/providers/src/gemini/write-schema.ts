import type { Json, JsonObject } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';

/** Keywords of JSON Schema that Google has under the same name and with the same meaning. It refuses a request with any unknown one. */
const SAME = [
  ...['description', 'example', 'nullable', 'pattern', 'required', 'propertyOrdering', 'minimum', 'maximum'],
  ...['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'],
];
const FORMATS = new Set(['enum', 'date-time']);
/** Schemas in schemas, beyond which one is refused. Only with inlined definitions can one that was received be deeper. */
const MAX_DEPTH = 200;
/** Limit on the characters that a request inlines: definitions refer to others, and so can multiply without end. */
const MAX_INLINED = 512 * 1024;
/** Stands for a definition within itself, which cannot be written without references. */
const OPEN: JsonObject = { type: 'object' };
/** Stands for the items of a list that says nothing of them: a text can hold any of them. */
const ANY_ITEM: JsonObject = { type: 'string' };

/** Characters that a request may still inline. One mutable object for all of its schemas. */
export interface Room {
  left: number;
}

export const roomForDefinitions = (): Room => ({ left: MAX_INLINED });

interface Scope {
  root: JsonObject;
  /** Number of the schemas around this one. */
  depth: number;
  /** The references that are being inlined. */
  path: readonly string[];
  room: Room;
}

const refuse = (message: string): never => {
  throw new RequestRejected('invalid_text_request', message);
};

/** Gemini has no list of types; a list becomes its first type, nullable if it contains `null`. */
function typeOf(type: Json): JsonObject {
  if (!Array.isArray(type)) return { type };
  const [first] = type.filter((item) => item !== 'null');
  return { type: first, ...(type.includes('null') && { nullable: true }) };
}

function typeOfValue(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** The type of a schema that only lists its values, because Google demands one. */
function typeOfValues({ const: only, enum: values }: JsonObject): JsonObject {
  const listedTypes = (only === undefined ? arrayOf(values) : [only]).map(typeOfValue);
  const types = [...new Set(listedTypes)];
  const isOne = types.filter((type) => type !== 'null').length <= 1 && types.length > 0;
  return isOne ? { type: types.length === 1 ? types[0] : types } : {};
}

/** Google has no tuples: every item may be any one of theirs. */
function itemsOf({ prefixItems, items }: JsonObject): JsonObject {
  const schemas = [...arrayOf(prefixItems), ...(Array.isArray(items) ? items : [items])].filter(isObject);
  if (schemas.length === 0) return {};
  return { items: schemas.length === 1 ? schemas[0] : { anyOf: schemas } };
}

/** Only texts can be listed, and no empty one. */
function listed(values: Json[]): JsonObject {
  const some = values.filter((value) => value !== null && value !== '');
  return some.length > 0 && some.every((value) => typeof value === 'string') ? { enum: some } : {};
}

/** The schema that a reference such as `#/$defs/city` points to. */
function definitionOf(ref: string, root: JsonObject): JsonObject {
  const [start, ...names] = ref.split('/').map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const found = names.reduce<unknown>(
    (at, name) => (Array.isArray(at) ? at[Number(name)] : Object.hasOwn(objectOf(at), name) && objectOf(at)[name]),
    start === '#' ? root : undefined,
  );
  return isObject(found) ? found : refuse(`the schema has no ${ref}`);
}

const tooLarge = (): never => refuse('the schema is too large for gemini once its definitions are inlined');

function inlined(ref: string, scope: Scope): JsonObject {
  const { root, path, room } = scope;
  if (path.includes(ref)) return OPEN;
  const definition = definitionOf(ref, root);
  room.left -= JSON.stringify(definition).length;
  return room.left < 0 ? tooLarge() : gathered(definition, { ...scope, path: [...path, ref] });
}

const each = (schemas: Json, scope: Scope): JsonObject[] =>
  arrayOf(schemas).map((schema) => cleaned(objectOf(schema), scope));

/** A schema that must satisfy all of these. What it copies counts as inlined, because each level around it copies that again. */
function merged(schemas: JsonObject[], { room }: Scope): JsonObject {
  const [only] = schemas;
  if (only && schemas.length === 1) return only;
  const properties = schemas.flatMap((schema) => Object.entries(objectOf(schema.properties)));
  const required = new Set(schemas.flatMap((schema) => arrayOf(schema.required)));
  room.left -= properties.length + required.size;
  if (room.left < 0) return tooLarge();
  return {
    ...(Object.assign({}, ...schemas) as JsonObject),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.size > 0 && { required: [...required] }),
  };
}

const writers: Readonly<Record<string, (value: Json, scope: Scope) => JsonObject>> = {
  ...Object.fromEntries(SAME.map((name) => [name, (value: Json) => ({ [name]: value })])),
  type: typeOf,
  format: (format) => (FORMATS.has(String(format)) ? { format } : {}),
  enum: (values) => listed(arrayOf(values)),
  const: (value) => listed([value]),
  properties: (properties, scope) => ({
    properties: Object.fromEntries(
      Object.entries(objectOf(properties)).map(([name, schema]) => [name, cleaned(objectOf(schema), scope)]),
    ),
  }),
  items: (schema, scope) => (isObject(schema) ? { items: cleaned(schema, scope) } : {}),
  anyOf: (schemas, scope) => ({ anyOf: each(schemas, scope) }),
  oneOf: (schemas, scope) => ({ anyOf: each(schemas, scope) }),
  allOf: (schemas, scope) =>
    merged(
      arrayOf(schemas).map((schema) => gathered(objectOf(schema), scope)),
      scope,
    ),
  $ref: (ref, scope) => inlined(textOf(ref), scope),
};

/** What a schema says itself follows what it includes, and so has the last word. It may require what a schema that includes it has. */
function gathered({ $ref, allOf, items, prefixItems, ...own }: JsonObject, scope: Scope): JsonObject {
  if (scope.depth > MAX_DEPTH) return tooLarge();
  const within = { ...scope, depth: scope.depth + 1 };
  const said = { $ref, allOf, ...typeOfValues(own), ...own, ...itemsOf({ items, prefixItems }) };
  return merged(
    Object.entries(said).flatMap(([name, value]) => {
      const write = Object.hasOwn(writers, name) ? writers[name] : undefined;
      return write && value !== undefined ? [write(value, within)] : [];
    }),
    scope,
  );
}

/** Google wants a type where there are properties or items, and items where there is a list. */
function typed(schema: JsonObject): JsonObject {
  const { properties, items } = schema;
  const implied = properties !== undefined ? 'object' : items !== undefined ? 'array' : undefined;
  const type = schema.type ?? implied;
  return {
    ...(type !== undefined && { type }),
    ...schema,
    ...(type === 'array' && items === undefined && { items: ANY_ITEM }),
  };
}

/** Google refuses a schema that requires a property it does not have. */
function cleaned(schema: JsonObject, scope: Scope): JsonObject {
  const { required, ...rest } = typed(gathered(schema, scope));
  const known = arrayOf(required).filter((name) => Object.hasOwn(objectOf(rest.properties), String(name)));
  return { ...rest, ...(known.length > 0 && { required: known }) };
}

/**
 * A JSON Schema in the words of Google's: references are inlined, and keywords without a counterpart are left out. Throws
 * `RequestRejected` for a reference to nothing, and for definitions too large to inline.
 */
export const cleanSchema = (schema: JsonObject, room: Room): JsonObject =>
  cleaned(schema, { root: schema, depth: 0, path: ['#'], room });
