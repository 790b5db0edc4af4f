import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';
import { wordsOf } from '../json/lazy-json.js';

// Checks the items of the list that a request is about. Schemas see only the outline of a large member, and the items determine the charge,
// so they must be readable for an upstream.

/** Returns the path of a fault in an item, or `undefined`. */
type ItemCheck = (item: Json, path: string) => string | undefined;

/** Upper bound for token ids; vocabularies are far smaller. */
const MOST_TOKEN = 2 ** 31 - 1;
const isToken = (value: Json): boolean => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_TOKEN;
const isTokens = (value: Json): boolean => Array.isArray(value) && value.length > 0 && value.every(isToken);

const unless =
  (test: (item: Json) => boolean): ItemCheck =>
  (item, path) =>
    test(item) ? undefined : path;

/** A text or a list of token ids. */
const textsOrTokens: ItemCheck = (item, path) => {
  if (typeof item === 'string' || isTokens(item)) return undefined;
  const wrong = Array.isArray(item) ? item.findIndex((token) => !isToken(token)) : -1;
  return wrong < 0 ? path : `${path}.${wrong}`;
};

const picturePlaces = ['image', 'image_url'];

/** A text, token ids, or an object with a text or a picture, which some upstreams embed. */
const embedded: ItemCheck = (item, path) => {
  // Upstreams refuse to embed an empty text.
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
  /** Whether the list may also be a single list of token ids. */
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
 * The path of the first invalid input, such as `input.0`, or of the member itself if it is neither a text nor a list. `undefined` if all
 * are valid or the member is absent.
 */
export function wrongInput(json: JsonObject, endpoint: string): string | undefined {
  if (!isRuled(endpoint)) return undefined;
  const { member, check, tokens = false }: InputRule = rules[endpoint];
  const value = wordsOf(json, member, 0);
  if (value === undefined || value === null || typeof value === 'string') return undefined;
  if (!Array.isArray(value)) return member;
  // A number as the first item means that the whole list is one list of token ids.
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

/** The fault of a message whose content is neither text nor parts, or whose role is unknown; a missing role means the user. */
const spoken: ItemCheck = (message, path) => {
  const { role, content } = objectOf(message);
  if (!isText(role ?? undefined)) return `${path}.role`;
  return isContent(content) ? undefined : `${path}.content`;
};

/** The fault of a function without a name. */
const called: ItemCheck = (tool, path) => {
  const { type, function: named, name } = objectOf(tool);
  const isNamed = textOf(objectOf(named).name) !== '' || textOf(name) !== '';
  return type === 'function' && !isNamed ? `${path}.function.name` : undefined;
};

/** The fault of a turn in Gemini's dialect: the role is optional, and texts must be strings. */
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

/** The path of the first invalid item in the lists of a request, for a body that was parsed completely. `undefined` if all are valid. */
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
