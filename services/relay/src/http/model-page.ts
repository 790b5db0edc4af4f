import { Refusal } from '../call/refusal.js';

const MAX_PAGE = 1000;
const WHOLE_NUMBER = /^\d{1,10}$/;

const refusal = (name: string): Refusal => new Refusal(400, `${name} is invalid`, 'invalid_request', { param: name });

/** The first of these parameters that has a value. */
const parameter = (query: URLSearchParams, ...names: string[]): string | undefined =>
  names.map((name) => query.get(name)).find((value) => value !== null && value !== '') ?? undefined;

/** The stated size of a page; `undefined` where none is stated, which means the whole list. */
function sizeOf(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!WHOLE_NUMBER.test(value)) throw refusal(name);
  return Number(value);
}

/**
 * Anthropic's paging of a sorted list, forwards or, with `before_id` alone, backwards. Ids are positions in the order,
 * so paging continues after a model that is no longer served.
 */
export function anthropicPage(
  sorted: readonly string[],
  query: URLSearchParams,
): { models: readonly string[]; hasMore: boolean } {
  const limit = sizeOf('limit', parameter(query, 'limit')) ?? sorted.length;
  if (query.get('limit') && (limit < 1 || limit > MAX_PAGE)) throw refusal('limit');
  const after = parameter(query, 'after_id');
  const before = parameter(query, 'before_id');
  const range = sorted.filter((id) => (after === undefined || id > after) && (before === undefined || id < before));
  const isBackwards = before !== undefined && after === undefined;
  const models = isBackwards ? range.slice(Math.max(0, range.length - limit)) : range.slice(0, limit);
  return { models, hasMore: models.length < range.length };
}

const encoded = (id: string): string => Buffer.from(id).toString('base64url');

function decoded(token: string): string {
  const id = Buffer.from(token, 'base64url').toString();
  if (id === '' || encoded(id) !== token) throw refusal('pageToken');
  return id;
}

/** Google's paging of a sorted list. A token is the last model of the page before. */
export function geminiPage(
  sorted: readonly string[],
  query: URLSearchParams,
): { models: readonly string[]; nextPageToken?: string } {
  const stated = sizeOf('pageSize', parameter(query, 'pageSize', 'page_size'));
  const size = stated ? Math.min(stated, MAX_PAGE) : sorted.length;
  const token = parameter(query, 'pageToken', 'page_token');
  const last = token === undefined ? undefined : decoded(token);
  const rest = last === undefined ? sorted : sorted.filter((id) => id > last);
  const models = rest.slice(0, size);
  const end = models.at(-1);
  return { models, ...(end !== undefined && models.length < rest.length && { nextPageToken: encoded(end) }) };
}
