import type { Searches } from '@tollgate/contracts';
import type { Json, JsonObject, SearchDialect } from '../adapter.js';
import { type GoogleTool, ownGoogleTools } from './google-tools.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';
import { wordsOf } from '../json/lazy-json.js';

/** OpenAI's names of the tool, with or without a date. Claude's date has no hyphens or underscores in it. */
const WEB_SEARCH = /^web_search(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?$/;
const FILE_SEARCH = 'file_search';

/** Largest number of searches of a request that sets no limit itself. */
export const USUAL_SEARCHES = 10;

/** Claude's search tool. Newer versions also run code, which no price covers. */
const CLAUDE_SEARCH = 'web_search_20250305';
export const MOST_SEARCHES = 1000;

/** OpenAI's chat models that search before every answer. */
const SEARCH_MODEL = /-search-(?:preview|api)(?:-\d{4}-\d{2}-\d{2})?$/;

/** Whether the model searches before every answer. */
export const alwaysSearches = (model: string): boolean => SEARCH_MODEL.test(model);

/** Whether a search limit is acceptable: absent, or a whole number in range. Searches with any other limit have no price. */
function isLimit(value: Json | undefined): boolean {
  const isStated = value !== undefined && value !== null;
  return !isStated || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_SEARCHES);
}

/** The path of the first invalid limit of Claude's searches; `undefined` if all are valid. */
export function wrongSearchLimit(json: JsonObject): string | undefined {
  const tools = arrayOf(wordsOf(json, 'tools', 0)).map(objectOf);
  const index = tools.findIndex((tool) => textOf(tool.type) === CLAUDE_SEARCH && !isLimit(tool.max_uses));
  return index < 0 ? undefined : `tools.${index}.max_uses`;
}

/** Whether a tool is a search that has a price per call. */
export function isSearchTool(tool: JsonObject, dialect: SearchDialect): boolean {
  const type = textOf(tool.type);
  if (dialect === 'messages') return type === CLAUDE_SEARCH && isLimit(tool.max_uses);
  return dialect === 'responses' && (WEB_SEARCH.test(type) || type === FILE_SEARCH);
}

const SIZES = ['low', 'medium', 'high'] as const;
type Size = (typeof SIZES)[number];

/** The fault in a chat's `web_search_options`: its path and what is expected; `undefined` if there is none. */
export function wrongChatSearch({
  web_search_options: searchOptions,
}: JsonObject): { path: string; expected: string } | undefined {
  if (searchOptions === undefined || searchOptions === null || searchOptions === false) return undefined;
  if (!isObject(searchOptions)) return { path: 'web_search_options', expected: 'an object' };
  const { search_context_size: size } = searchOptions;
  if (size === undefined || size === null || SIZES.some((known) => known === size)) return undefined;
  return { path: 'web_search_options.search_context_size', expected: SIZES.join(', ').replace(/, (?=\w+$)/, ' or ') };
}

/** Upstreams treat a missing or unknown size as medium. */
const sizeOf = (tool: JsonObject): Size => SIZES.find((size) => size === tool.search_context_size) ?? 'medium';

/** With several search tools the most expensive size counts, because the answer does not state which one was used. */
const largest = (sizes: readonly Size[]): Size => SIZES.findLast((size) => sizes.includes(size)) ?? 'medium';

/** In chat there is exactly one search per call, before the answer. */
export const oneSearch = (options: JsonObject): Searches => ({ web: 1, webContext: sizeOf(options) });

/** The largest number of searches of each kind that a request allows; `undefined` if it allows none. */
export function requestedSearches(json: JsonObject, dialect: SearchDialect): Searches | undefined {
  if (dialect === 'chat') return isObject(json.web_search_options) ? oneSearch(json.web_search_options) : undefined;
  if (dialect === 'gemini') return googleSearches(ownGoogleTools(json));
  const tools = arrayOf(wordsOf(json, 'tools', 0)).map(objectOf);
  return dialect === 'messages' ? claudeSearches(tools) : responsesSearches(json, tools);
}

/** Google accepts no limit. Its code execution makes no searches, but its output is read as prompt, so it is not ignored. */
export const googleSearches = (tools: readonly GoogleTool[]): Searches | undefined =>
  tools.length === 0 ? undefined : { google: tools.includes('googleSearch') ? USUAL_SEARCHES : 0 };

const usesOf = ({ max_uses: most }: JsonObject): number => (typeof most === 'number' ? most : USUAL_SEARCHES);

function claudeSearches(tools: JsonObject[]): Searches | undefined {
  const own = tools.filter((tool) => isSearchTool(tool, 'messages'));
  return own.length === 0 ? undefined : { web: own.reduce((sum, tool) => sum + usesOf(tool), 0) };
}

/** The tools of a request with a limit added to Claude's searches that have none; `undefined` if nothing must be added. */
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

/** Opening a found page or searching in it costs only tokens. */
const isSearch = ({ action }: JsonObject): boolean => ['', 'search'].includes(textOf(objectOf(action).type));

const isDone = ({ status = null }: JsonObject): boolean => status === null || status === 'completed';

/** The number of completed searches in the items of an answer. */
export function madeSearches(output: Json | undefined): Searches {
  const done = arrayOf(output)
    .map(objectOf)
    .filter((item) => isDone(item) && isSearch(item));
  const ofType = (name: string): number => done.filter(({ type }) => type === name).length;
  return { web: ofType('web_search_call'), file: ofType('file_search_call') };
}

/** The maximum of two counts of the same answer, for web and file searches. */
export const mostSearches = (a: Searches, b: Searches): Searches => ({
  web: Math.max(a.web ?? 0, b.web ?? 0),
  file: Math.max(a.file ?? 0, b.file ?? 0),
});

/** The counts as a member of a usage or a text; empty if there were no searches. */
export function statedSearches({ web = 0, file = 0, google = 0 }: Searches): { searches?: Searches } {
  if (web + file + google === 0) return {};
  return { searches: { ...(web > 0 && { web }), ...(file > 0 && { file }), ...(google > 0 && { google }) } };
}
