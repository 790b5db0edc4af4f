import type { Searches } from '@tollgate/contracts';
import type { Json, JsonObject } from './adapter.js';
import { arrayOf, objectOf, textOf } from './json.js';
import { wordsOf } from './lazy-json.js';

/** OpenAI's names, without a date or with one. Claude's carry theirs without dividers, and have another price. */
const WEB_SEARCH = /^web_search(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?$/;
const FILE_SEARCH = 'file_search';

/** Searches that one request may make where it sets no limit of its own. */
export const USUAL_SEARCHES = 10;

/** Whether a tool of POST /v1/responses is a search, which has a price by the call. */
export const isSearchTool = (type: string): boolean => WEB_SEARCH.test(type) || type === FILE_SEARCH;

const SIZES = ['low', 'medium', 'high'] as const;
type Size = (typeof SIZES)[number];

/** An unknown size, or none, is medium, as upstreams take it. */
const sizeOf = (tool: JsonObject): Size => SIZES.find((size) => size === tool.search_context_size) ?? 'medium';

/** Of several tools for one search nobody says which was used. */
const largest = (sizes: readonly Size[]): Size => SIZES.findLast((size) => sizes.includes(size)) ?? 'medium';

/** The most searches of each kind that a body of POST /v1/responses asks for; undefined: it has no tool that searches. */
export function askedSearches(json: JsonObject): Searches | undefined {
  const tools = arrayOf(wordsOf(json, 'tools', 0)).map(objectOf);
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

/** Of two counts of the same answer the larger one of each kind. */
export const mostSearches = (a: Searches, b: Searches): Searches => ({
  web: Math.max(a.web ?? 0, b.web ?? 0),
  file: Math.max(a.file ?? 0, b.file ?? 0),
});

/** As a member of a usage or a text; left out where nothing was searched. */
export function statedSearches({ web = 0, file = 0 }: Searches): { searches?: Searches } {
  if (web + file === 0) return {};
  return { searches: { ...(web > 0 && { web }), ...(file > 0 && { file }) } };
}
