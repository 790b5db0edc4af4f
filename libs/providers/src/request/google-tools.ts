import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, isObject, objectOf, snakeCase, textOf } from '../json/json.js';
import { wordsOf } from '../json/lazy-json.js';

/** Functions of these names are none of the client's where Gemini answers: they switch on what Google runs itself. */
const GOOGLE_TOOLS = ['codeExecution', 'googleSearch'] as const;
export type GoogleTool = (typeof GOOGLE_TOOLS)[number];

export const isGoogleTool = (name: string): boolean => GOOGLE_TOOLS.some((known) => known === name);

export const googleToolsAmong = (names: readonly string[]): GoogleTool[] =>
  GOOGLE_TOOLS.filter((known) => names.includes(known));

/** What narrows a search costs nothing. Other members may: pictures that are searched for have a price of their own. */
const NARROWING = new Set(['timeRangeFilter', 'time_range_filter', 'excludeDomains', 'exclude_domains']);

/** Which of them a member of a tool in Google's own words is, where its price is known. */
export function googleToolAt(member: string, value: Json | undefined): GoogleTool | undefined {
  if (!isObject(value) || !Object.keys(value).every((name) => NARROWING.has(name))) return undefined;
  return GOOGLE_TOOLS.find((known) => known === member || snakeCase(known) === member);
}

/** Those that a request in Google's own words names. */
export const ownGoogleTools = (json: JsonObject): GoogleTool[] => {
  const named = arrayOf(wordsOf(json, 'tools', 0))
    .flatMap((item) => Object.entries(objectOf(item)))
    .map(([member, value]) => googleToolAt(member, value));
  return GOOGLE_TOOLS.filter((known) => named.includes(known));
};

/** No tool may be used, in the words of chat and responses or of messages. */
const wantsNone = ({ tool_choice: choice = null }: JsonObject): boolean =>
  choice === 'none' || objectOf(choice).type === 'none';

/** Those that the functions of a request of chat, messages or responses name, where they may be used. */
export function namedGoogleTools(json: JsonObject): GoogleTool[] {
  if (wantsNone(json)) return [];
  const names = arrayOf(wordsOf(json, 'tools', 0)).map((item) => {
    const { function: inner = null, name = null } = objectOf(item);
    return textOf(objectOf(inner).name) || textOf(name);
  });
  return googleToolsAmong(names);
}
