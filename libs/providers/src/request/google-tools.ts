import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, isObject, objectOf, snakeCase, textOf } from '../json/json.js';
import { wordsOf } from '../json/lazy-json.js';

/** Functions with these names are not run by the client if Gemini answers: they enable tools that Google runs. */
const GOOGLE_TOOLS = ['codeExecution', 'googleSearch'] as const;
export type GoogleTool = (typeof GOOGLE_TOOLS)[number];

export const isGoogleTool = (name: string): boolean => GOOGLE_TOOLS.some((known) => known === name);

export const googleToolsAmong = (names: readonly string[]): GoogleTool[] =>
  GOOGLE_TOOLS.filter((known) => names.includes(known));

/** Members that narrow a search are free. Others may not be: searches for pictures have their own price. */
const NARROWING = new Set(['timeRangeFilter', 'time_range_filter', 'excludeDomains', 'exclude_domains']);

/** The Google tool that a member of a tool object enables; `undefined` for tools and options without a known price. */
export function googleToolAt(member: string, value: Json | undefined): GoogleTool | undefined {
  if (!isObject(value) || !Object.keys(value).every((name) => NARROWING.has(name))) return undefined;
  return GOOGLE_TOOLS.find((known) => known === member || snakeCase(known) === member);
}

/** Google tools in a request in Gemini's dialect. */
export const ownGoogleTools = (json: JsonObject): GoogleTool[] => {
  const named = arrayOf(wordsOf(json, 'tools', 0))
    .flatMap((item) => Object.entries(objectOf(item)))
    .map(([member, value]) => googleToolAt(member, value));
  return GOOGLE_TOOLS.filter((known) => named.includes(known));
};

/** Whether the request forbids tool calls, as written in chat and responses or in messages. */
const wantsNone = ({ tool_choice: choice = null }: JsonObject): boolean =>
  choice === 'none' || objectOf(choice).type === 'none';

/** Google tools that the functions of a chat, messages or responses request name, unless it forbids tool calls. */
export function namedGoogleTools(json: JsonObject): GoogleTool[] {
  if (wantsNone(json)) return [];
  const names = arrayOf(wordsOf(json, 'tools', 0)).map((item) => {
    const { function: inner = null, name = null } = objectOf(item);
    return textOf(objectOf(inner).name) || textOf(name);
  });
  return googleToolsAmong(names);
}
