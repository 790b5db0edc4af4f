import type { ChannelTarget, ClientRequest, JsonObject, UpstreamRequest } from '../adapter.js';
import { objectOf } from '../json/json.js';
import { overriddenModel, overridesOf } from '../json/member-rules.js';
import type { Edits, Quirks } from '../openai-compatible/quirks.js';
import { addressOf } from '../openai-compatible/quirks.js';
import { isOSeries, splitEffort } from '../openai-compatible/reasoning.js';
import { headersOf } from '../openai-compatible/request.js';
import { replaceMembers } from '../json/replace-members.js';
import { requestedSearches, USUAL_SEARCHES } from '../request/search-tools.js';

const PATH = '/v1/responses';
const LIMIT = 'max_output_tokens';

/** Lowers the request's limit to that of the caller's quota. */
function editLimit(json: JsonObject, limit: number | undefined, edits: Edits): void {
  if (limit === undefined) return;
  const stated = edits.has(LIMIT) ? edits.get(LIMIT) : json[LIMIT];
  if (typeof stated !== 'number' || stated <= 0 || stated > limit) edits.set(LIMIT, limit);
}

/** The hold covers a fixed number of searches, so the upstream is told this limit if the client sets none. */
function editSearches(json: JsonObject, edits: Edits): void {
  if (typeof json.max_tool_calls !== 'number' && requestedSearches(json, 'responses'))
    edits.set('max_tool_calls', USUAL_SEARCHES);
}

/** The client's own bytes for channels that pass bodies on unchanged, except for the limits that the caller's quota requires. */
export function limitedResponse({ bytes, json, outputLimit }: ClientRequest): Buffer {
  const edits: Edits = new Map();
  editSearches(json, edits);
  editLimit(json, outputLimit, edits);
  return replaceMembers(bytes, edits);
}

/** The client's own bytes with replaced model name, effort by suffix, parameter override and limit. */
export function responsesToUpstream(request: ClientRequest, target: ChannelTarget, quirks: Quirks): UpstreamRequest {
  const { json, bytes, outputLimit } = request;
  const edits: Edits = new Map();
  const named = splitEffort(target.model);
  const reasoning = objectOf(json.reasoning);
  if (json.model !== named.model) edits.set('model', named.model);
  if (named.effort) edits.set('reasoning', { ...reasoning, effort: named.effort });
  editSearches(json, edits);
  for (const [name, value] of overridesOf(target.paramOverride)) edits.set(name, value);
  editLimit(json, outputLimit, edits);
  const reasoningEffort = named.effort ?? (typeof reasoning.effort === 'string' ? reasoning.effort : undefined);
  return {
    method: 'POST',
    url: addressOf(target, quirks, PATH, request),
    headers: headersOf(target, quirks, json.stream === true),
    body: replaceMembers(bytes, edits),
    ...overriddenModel(target.paramOverride),
    ...(reasoningEffort && { reasoningEffort }),
    ...(isOSeries(named.model) && { thinksLong: true }),
  };
}
