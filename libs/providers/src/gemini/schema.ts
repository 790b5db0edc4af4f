import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';

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

/** Most characters of definitions that are written in place of references to them; further references stand for the type alone. */
const MAX_RESOLVED = 256 * 1024;
/** Most references within each other. */
const MAX_NESTED = 8;
const ANY_OBJECT = { type: 'object' };

/** Gemini has no list of types; a list becomes its first type, nullable if it contains `null`. */
function typeOf(type: Json): JsonObject {
  if (!Array.isArray(type)) return { type };
  const [first] = type.filter((item) => item !== 'null');
  return { type: first, ...(type.includes('null') && { nullable: true }) };
}

const SIMPLE_TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object']);
/** JSON Schema has no more types. */
const MAX_TYPES = 7;

/** The type that a schema states. Many references may stand for it, so nothing of any length is taken over. */
function typeIn({ type = null }: JsonObject): JsonObject {
  const known = typeOf(Array.isArray(type) ? type.slice(0, MAX_TYPES) : type);
  return known.type === 'array' || SIMPLE_TYPES.has(textOf(known.type)) ? known : ANY_OBJECT;
}

/** As `typeIn`, with the type of the items, because Gemini refuses a list without them. */
function typeAlone(schema: JsonObject): JsonObject {
  const known = typeIn(schema);
  if (known.type !== 'array') return known;
  const items = typeIn(objectOf(schema.items));
  return { ...known, items: items.type === 'array' ? ANY_OBJECT : items };
}

/** A fragment of an address; a name with a percent sign may stand there as it is. */
function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

/** The value at a JSON pointer (RFC 6901). */
function valueAt(root: Json, pointer: string): Json | undefined {
  const [first, ...names] = pointer.split('/');
  if (first !== '') return undefined;
  let value: Json | undefined = root;
  for (const escaped of names) {
    const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as JsonObject)[name];
  }
  return value;
}

/** The schemas that a schema refers to. Gemini has no references, so each is replaced by what it refers to. */
class References {
  private room = MAX_RESOLVED;
  /** Schemas that are being written in place of references, which must not occur within themselves. */
  private readonly open = new Set<JsonObject>();

  constructor(private readonly root: JsonObject) {}

  resolved(reference: string): JsonObject {
    const found = this.find(reference);
    if (!found) return ANY_OBJECT;
    if (this.room < 0 || this.open.size === MAX_NESTED || this.open.has(found)) return typeAlone(found);
    this.room -= JSON.stringify(found).length;
    if (this.room < 0) return typeAlone(found);
    this.open.add(found);
    const schema = cleaned(found, this);
    this.open.delete(found);
    return schema;
  }

  private find(reference: string): JsonObject | undefined {
    if (!reference.startsWith('#')) return undefined;
    const fragment = reference.slice(1);
    const pointers = [decoded(fragment), fragment].filter((pointer) => pointer !== undefined);
    return pointers.map((pointer) => valueAt(this.root, pointer)).find(isObject);
  }
}

function member(name: string, value: Json, references: References): JsonObject {
  const clean = (item: Json): Json => (isObject(item) ? cleaned(item, references) : item);
  if (name === 'properties' && isObject(value))
    return { properties: Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clean(item ?? null)])) };
  if (name === 'items') return { items: clean(value) };
  if (LISTS.has(name)) return { [name]: arrayOf(value).map(clean) };
  if (name === 'type') return typeOf(value);
  return name === 'format' && !FORMATS.has(String(value)) ? {} : { [name]: value };
}

function cleaned({ $ref, ...schema }: JsonObject, references: References): JsonObject {
  const found = $ref === undefined ? {} : references.resolved(textOf($ref));
  const members = Object.entries(schema).filter(([name, value]) => value !== undefined && !UNKNOWN.has(name));
  const written = members.map(([name, value]) => member(name, value ?? null, references));
  // What is said beside a reference counts more than what it refers to.
  return Object.assign({}, found, ...written) as JsonObject;
}

/** A JSON Schema without what Gemini refuses. */
export const cleanSchema = (schema: JsonObject): JsonObject => cleaned(schema, new References(schema));
