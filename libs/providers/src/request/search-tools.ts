import type { Searches } from '@tollgate/contracts';
import type { Json, JsonObject } from '../adapter.js';
import { type GoogleTool, ownGoogleTools } from './google-tools.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';
import { wordsOf } from '../json/lazy-json.js';

/** OpenAI's names, without a date or with one. Claude's carry theirs without dividers. */
const WEB_SEARCH = /^web_search(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?$/;
const FILE_SEARCH = 'file_search';

/** Searches that one request may make where it sets no limit of its own. */
export const USUAL_SEARCHES = 10;

/** Claude's own search. Newer versions of it run code beside, which no price covers. */
const CLAUDE_SEARCH = 'web_search_20250305';
export const MOST_SEARCHES = 1000;

/** The dialects in which an upstream searches at a price by the call. */
export type SearchEndpoint = 'responses' | 'messages' | 'chat' | 'gemini';

/** OpenAI's models of chat that search before each answer, whatever they are asked. */
const SEARCH_MODEL = /-search-(?:preview|api)(?:-\d{4}-\d{2}-\d{2})?$/;

/** Whether each answer of a model begins with a search. */
export const alwaysSearches = (model: string): boolean => SEARCH_MODEL.test(model);

/** What stands for a limit of searches; undefined where none is stated, and what is none has no price. */
function isLimit(value: Json | undefined): boolean {
  const isStated = value !== undefined && value !== null;
  return !isStated || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_SEARCHES);
}

/** The path of the first limit of Claude's searches that is none; undefined where all are well. */
export function wrongSearchLimit(json: JsonObject): string | undefined {
  const tools = arrayOf(wordsOf(json, 'tools', 0)).map(objectOf);
  const index = tools.findIndex((tool) => textOf(tool.type) === CLAUDE_SEARCH && !isLimit(tool.max_uses));
  return index < 0 ? undefined : `tools.${index}.max_uses`;
}

/** Whether a tool is a search that has a price by the call. */
export function isSearchTool(tool: JsonObject, dialect: SearchEndpoint): boolean {
  const type = textOf(tool.type);
  if (dialect === 'messages') return type === CLAUDE_SEARCH && isLimit(tool.max_uses);
  return dialect === 'responses' && (WEB_SEARCH.test(type) || type === FILE_SEARCH);
}

const SIZES = ['low', 'medium', 'high'] as const;
type Size = (typeof SIZES)[number];

/** What of a chat's search is none: where it stands, and what is expected there. Undefined where all is well. */
export function wrongChatSearch({
  web_search_options: asked,
}: JsonObject): { path: string; expected: string } | undefined {
  if (asked === undefined || asked === null || asked === false) return undefined;
  if (!isObject(asked)) return { path: 'web_search_options', expected: 'an object' };
  const { search_context_size: size } = asked;
  if (size === undefined || size === null || SIZES.some((known) => known === size)) return undefined;
  return { path: 'web_search_options.search_context_size', expected: SIZES.join(', ').replace(/, (?=\w+$)/, ' or ') };
}

/** An unknown size, or none, is medium, as upstreams take it. */
const sizeOf = (tool: JsonObject): Size => SIZES.find((size) => size === tool.search_context_size) ?? 'medium';

/** The dearest of several search tools counts, because nobody says which was used. */
const largest = (sizes: readonly Size[]): Size => SIZES.findLast((size) => sizes.includes(size)) ?? 'medium';

/** One for each call, which comes before its answer. */
export const oneSearch = (options: JsonObject): Searches => ({ web: 1, webContext: sizeOf(options) });

/** The most searches of each kind that a body asks for; undefined: it asks for none. */
export function askedSearches(json: JsonObject, dialect: SearchEndpoint): Searches | undefined {
  if (dialect === 'chat') return isObject(json.web_search_options) ? oneSearch(json.web_search_options) : undefined;
  if (dialect === 'gemini') return googleSearches(ownGoogleTools(json));
  const tools = arrayOf(wordsOf(json, 'tools', 0)).map(objectOf);
  return dialect === 'messages' ? claudeSearches(tools) : responsesSearches(json, tools);
}

/** Google takes no limit. Code that it runs searches for nothing, but what it prints is read as well. */
export const googleSearches = (tools: readonly GoogleTool[]): Searches | undefined =>
  tools.length === 0 ? undefined : { google: tools.includes('googleSearch') ? USUAL_SEARCHES : 0 };

const usesOf = ({ max_uses: most }: JsonObject): number => (typeof most === 'number' ? most : USUAL_SEARCHES);

function claudeSearches(tools: JsonObject[]): Searches | undefined {
  const own = tools.filter((tool) => isSearchTool(tool, 'messages'));
  return own.length === 0 ? undefined : { web: own.reduce((sum, tool) => sum + usesOf(tool), 0) };
}

/** The tools of a request with a limit for each of Claude's searches; undefined where each has one. */
export function limitedTools(json: JsonObject): Json[] | undefined {
  const isOpen = (tool: JsonObject): boolean => isSearchTool(tool, 'messages') && typeof tool.max_uses !== 'number';
  const tools = arrayOf(wordsOf(json, 'tools', 0)).map(objectOf);
  if (!tools.some(isOpen)) return undefined;
  return arrayOf(json.tools).map((item) =>
    isOpen(objectOf(item)) ? { ...objectOf(item), max_uses: USUAL_SEARCHES } : item,
  );
}

function responsesSearches(json: JsonObject, tools: JsonObject[]): Searches | undefined {
  const web = tools.filter(({ type = null }) => WEB_SEARCH.test(textOf(type)));
  const isInFiles = tools.some(({ type }) => type === FILE_SEARCH);
  if (web.length === 0 && !isInFiles) return undefined;
  const most = typeof json.max_tool_calls === 'number' ? json.max_tool_calls : USUAL_SEARCHES;
  return {
    ...(web.length > 0 && { web: most, webContext: largest(web.map(sizeOf)) }),
    ...(isInFiles && { file: most }),
  };
}

/** To open a page that was found, or to look for words in it, costs nothing beside its tokens. */
const isSearch = ({ action }: JsonObject): boolean => ['', 'search'].includes(textOf(objectOf(action).type));

const isDone = ({ status = null }: JsonObject): boolean => status === null || status === 'completed';

/** Searches that were made, of the items of an answer. */
export function madeSearches(output: Json | undefined): Searches {
  const done = arrayOf(output)
    .map(objectOf)
    .filter((item) => isDone(item) && isSearch(item));
  const ofType = (name: string): number => done.filter(({ type }) => type === name).length;
  return { web: ofType('web_search_call'), file: ofType('file_search_call') };
}

/** The larger of two counts of the same answer, for each kind of search. */
export const mostSearches = (a: Searches, b: Searches): Searches => ({
  web: Math.max(a.web ?? 0, b.web ?? 0),
  file: Math.max(a.file ?? 0, b.file ?? 0),
});

/** As a member of a usage or a text; left out where nothing was searched. */
export function statedSearches({ web = 0, file = 0, google = 0 }: Searches): { searches?: Searches } {
  if (web + file + google === 0) return {};
  return { searches: { ...(web > 0 && { web }), ...(file > 0 && { file }), ...(google > 0 && { google }) } };
}
