import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, isObject, objectOf } from '../json/json.js';

/** Keywords of JSON Schema that Gemini refuses. */
const UNKNOWN = new Set([
  '$defs',
  'definitions',
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

const REFERENCE = /^#\/(\$defs|definitions)\/([^/]+)$/;
/** Most characters of definitions that are written in place of references to them; further references stand for any object. */
const MAX_RESOLVED = 256 * 1024;
/** Most references within each other. */
const MAX_NESTED = 8;
const ANY_OBJECT = { type: 'object' };

/** The definitions of a schema. Gemini has no references, so each is replaced by what it refers to. */
class Definitions {
  private room = MAX_RESOLVED;
  /** References that are being replaced, which must not occur within themselves. */
  private readonly open = new Set<string>();

  constructor(private readonly root: JsonObject) {}

  resolved(reference: string): JsonObject {
    if (this.room < 0 || this.open.size === MAX_NESTED) return ANY_OBJECT;
    const [, place = '', name = ''] = REFERENCE.exec(reference) ?? [];
    const found = objectOf(this.root[place])[name.replaceAll('~1', '/').replaceAll('~0', '~')];
    if (!isObject(found) || this.open.has(reference)) return ANY_OBJECT;
    this.room -= JSON.stringify(found).length;
    if (this.room < 0) return ANY_OBJECT;
    this.open.add(reference);
    const schema = cleaned(found, this);
    this.open.delete(reference);
    return schema;
  }
}

/** Gemini has no list of types; a list becomes its first type, nullable if it contains `null`. */
function typeOf(type: Json): JsonObject {
  if (!Array.isArray(type)) return { type };
  const [first] = type.filter((item) => item !== 'null');
  return { type: first, ...(type.includes('null') && { nullable: true }) };
}

function member(name: string, value: Json, definitions: Definitions): JsonObject {
  const clean = (item: Json): Json => (isObject(item) ? cleaned(item, definitions) : item);
  if (name === '$ref') return definitions.resolved(String(value));
  if (name === 'properties' && isObject(value))
    return { properties: Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clean(item ?? null)])) };
  if (name === 'items') return { items: clean(value) };
  if (LISTS.has(name)) return { [name]: arrayOf(value).map(clean) };
  if (name === 'type') return typeOf(value);
  return name === 'format' && !FORMATS.has(String(value)) ? {} : { [name]: value };
}

function cleaned(schema: JsonObject, definitions: Definitions): JsonObject {
  const members = Object.entries(schema).filter(([name, value]) => value !== undefined && !UNKNOWN.has(name));
  return Object.assign({}, ...members.map(([name, value]) => member(name, value ?? null, definitions))) as JsonObject;
}

/** A JSON Schema without what Gemini refuses. */
export const cleanSchema = (schema: JsonObject): JsonObject => cleaned(schema, new Definitions(schema));
