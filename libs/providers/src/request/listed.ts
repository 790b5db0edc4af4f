import type { Json, JsonObject } from '../adapter.js';
import { isObject } from '../json/json.js';
import { wordsOf } from '../json/lazy-json.js';

/** Returns the path of a fault inside an object of a list, or `undefined`. */
type ItemCheck = (item: JsonObject, path: string) => string | undefined;

interface ListRule {
  check: ItemCheck;
  /** Whether the list or its items may be texts; a text is charged by its bytes. */
  texts?: boolean;
}

const anyItem: ItemCheck = () => undefined;

/** The path of a value that is not a list of objects, or of an item that is not an object. Absent and null values are accepted. */
function unlisted(value: Json | undefined, path: string, { check, texts = false }: ListRule): string | undefined {
  const isFine = (one: Json): boolean => texts && typeof one === 'string';
  if (value === undefined || value === null || isFine(value)) return undefined;
  if (!Array.isArray(value)) return path;
  for (const [index, item] of value.entries()) {
    if (isFine(item)) continue;
    const found = isObject(item) ? check(item, `${path}.${index}`) : `${path}.${index}`;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The path of the first of these members that is present but not an object. */
const unobjected = (item: JsonObject, path: string, names: readonly string[]): string | undefined => {
  const name = names.find((one) => item[one] !== undefined && item[one] !== null && !isObject(item[one]));
  return name === undefined ? undefined : `${path}.${name}`;
};

const MEDIA = ['inlineData', 'inline_data', 'fileData', 'file_data'];
const RESULTS = ['functionResponse', 'function_response'];

/** Checks a part in Gemini's dialect, and the parts in a function's result. */
const googlePart: ItemCheck = (part, path) => {
  const wrong = unobjected(part, path, [...MEDIA, ...RESULTS]);
  if (wrong !== undefined) return wrong;
  for (const name of RESULTS) {
    const result = part[name];
    if (isObject(result)) return unlisted(result.parts, `${path}.${name}.parts`, { check: googlePart });
  }
  return undefined;
};

const googleContent: ItemCheck = ({ parts }, path) =>
  unlisted(parts, `${path}.parts`, { check: googlePart, texts: true });

/** Checks a content part of a message. Tool results and documents made of blocks contain further parts. */
const chatPart: ItemCheck = (part, path) =>
  chatContent(part, path) ?? (isObject(part.source) ? chatContent(part.source, `${path}.source`) : undefined);

const chatContent: ItemCheck = ({ content }, path) =>
  unlisted(content, `${path}.content`, { check: chatPart, texts: true });

const tools: readonly [string, ListRule] = ['tools', { check: anyItem }];

const CHAT: readonly (readonly [string, ListRule])[] = [
  ['messages', { check: chatContent }],
  ['system', { check: chatPart, texts: true }],
  ['functions', { check: anyItem }],
  tools,
];

/** The output of a tool may be a list of parts, like the content of a message. */
const responseItem: ItemCheck = (item, path) =>
  chatContent(item, path) ??
  (isObject(item.output) ? undefined : unlisted(item.output, `${path}.output`, { check: chatPart, texts: true }));

const RESPONSES: readonly (readonly [string, ListRule])[] = [['input', { check: responseItem, texts: true }], tools];

const GEMINI: readonly (readonly [string, ListRule])[] = [['contents', { check: googleContent }], tools];

const LISTS = { chat: CHAT, gemini: GEMINI, responses: RESPONSES };

/** Google's system prompt is a single content object; a plain text is charged by its bytes. */
function systemFault(json: JsonObject): string | undefined {
  for (const name of ['systemInstruction', 'system_instruction']) {
    const system = wordsOf(json, name, 0);
    if (system === undefined || system === null || typeof system === 'string') continue;
    return isObject(system) ? googleContent(system, name) : name;
  }
  return undefined;
}

/**
 * The path of the first value that must be a list of objects, because its items determine the cost of the request, and is not. Our checks
 * would find nothing in it, but a lenient upstream would read it as a list of one.
 */
export function unlistedField(json: JsonObject, dialect: keyof typeof LISTS): string | undefined {
  for (const [name, rule] of LISTS[dialect]) {
    const found = unlisted(wordsOf(json, name, 0), name, rule);
    if (found !== undefined) return found;
  }
  return dialect === 'gemini' ? systemFault(json) : undefined;
}
