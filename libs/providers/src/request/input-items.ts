import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';
import { wordsOf } from '../json/lazy-json.js';

// What stands in the list that a request is about, item by item. A schema sees the outline of a large member only, and what is charged must be
// something that an upstream can read.

/** The path of what is wrong about an item, or undefined. */
type ItemCheck = (item: Json, path: string) => string | undefined;

/** Vocabularies are far smaller. */
const MOST_TOKEN = 2 ** 31 - 1;
const isToken = (value: Json): boolean => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_TOKEN;
const isTokens = (value: Json): boolean => Array.isArray(value) && value.length > 0 && value.every(isToken);

const unless =
  (test: (item: Json) => boolean): ItemCheck =>
  (item, path) =>
    test(item) ? undefined : path;

/** Texts, or lists of token ids; a list of ids alone is one of them. */
const textsOrTokens: ItemCheck = (item, path) => {
  if (typeof item === 'string' || isTokens(item)) return undefined;
  const wrong = Array.isArray(item) ? item.findIndex((token) => !isToken(token)) : -1;
  return wrong < 0 ? path : `${path}.${wrong}`;
};

const picturePlaces = ['image', 'image_url'];

/** Some upstreams embed pictures, each named by the member of an object. */
const embedded: ItemCheck = (item, path) => {
  // Nothing can be embedded of nothing.
  if (item === '') return path;
  if (!isObject(item)) return textsOrTokens(item, path);
  const isSaid = typeof item.text === 'string' || picturePlaces.some((name) => item[name] !== undefined);
  return isSaid ? undefined : path;
};

const moderated: ItemCheck = (item, path) => {
  if (typeof item === 'string') return undefined;
  const { type = null, text = null, image_url: picture } = objectOf(item);
  if (type === 'text') return typeof text === 'string' ? undefined : `${path}.text`;
  if (type === 'image_url') return textOf(objectOf(picture).url) === '' ? `${path}.image_url` : undefined;
  return isObject(item) ? `${path}.type` : path;
};

interface InputRule {
  member: string;
  check: ItemCheck;
  /** Whether a list of token ids may stand in the place of the list. */
  tokens?: boolean;
}

const rules = {
  embeddings: { member: 'input', check: embedded, tokens: true },
  completions: { member: 'prompt', check: textsOrTokens, tokens: true },
  moderations: { member: 'input', check: moderated },
  responses: { member: 'input', check: unless(isObject) },
} satisfies Record<string, InputRule>;

const isRuled = (endpoint: string): endpoint is keyof typeof rules => Object.hasOwn(rules, endpoint);

/**
 * The path of the first value that is nothing to work on: `input.0`, or the member itself where it is neither a text nor a list. Undefined
 * where all is well, and for what is not there at all.
 */
export function wrongInput(json: JsonObject, endpoint: string): string | undefined {
  if (!isRuled(endpoint)) return undefined;
  const { member, check, tokens = false }: InputRule = rules[endpoint];
  const value = wordsOf(json, member, 0);
  if (value === undefined || value === null || typeof value === 'string') return undefined;
  if (!Array.isArray(value)) return member;
  // The first number tells that it is one list of ids.
  const item = tokens && typeof value[0] === 'number' ? unless(isToken) : check;
  for (const [index, one] of value.entries()) {
    const wrong = item(one, `${member}.${index}`);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

const isText = (value: Json | undefined): boolean => value === undefined || typeof value === 'string';
const isContent = (value: Json | undefined): boolean =>
  value === undefined || value === null || typeof value === 'string' || Array.isArray(value);

/** Where a message says what is neither a text nor parts, or is in a role that is none; without one it is the user's. */
const spoken: ItemCheck = (message, path) => {
  const { role, content } = objectOf(message);
  if (!isText(role ?? undefined)) return `${path}.role`;
  return isContent(content) ? undefined : `${path}.content`;
};

/** A function that nobody can name cannot be called. */
const called: ItemCheck = (tool, path) => {
  const { type, function: named, name } = objectOf(tool);
  const isNamed = textOf(objectOf(named).name) !== '' || textOf(name) !== '';
  return type === 'function' && !isNamed ? `${path}.function.name` : undefined;
};

/** Of Gemini's turns: their role is optional, and their words are texts. */
const turned: ItemCheck = (content, path) => {
  const { role = '', parts } = objectOf(content);
  if (typeof role !== 'string') return `${path}.role`;
  const index = Array.isArray(parts) ? parts.findIndex((part) => !isText(objectOf(part).text)) : -1;
  return index < 0 ? undefined : `${path}.parts.${index}.text`;
};

const checks: Readonly<Record<string, Readonly<Record<string, ItemCheck>>>> = {
  chat: { messages: spoken, tools: called },
  messages: { messages: spoken },
  gemini: { contents: turned },
};

/** The path of what cannot be read in a list that a request consists of, of a body that was parsed whole. Undefined where all is well. */
export function wrongItem(json: JsonObject, endpoint: string): string | undefined {
  const all = Object.hasOwn(checks, endpoint) ? (checks[endpoint] ?? {}) : {};
  for (const [member, check] of Object.entries(all)) {
    for (const [index, item] of arrayOf(json[member]).entries()) {
      const wrong = check(item, `${member}.${index}`);
      if (wrong !== undefined) return wrong;
    }
  }
  return undefined;
}
