import type { ChannelTarget, ClientRequest, JsonObject, UpstreamRequest } from '../adapter.js';
import { isObject } from '../json/json.js';
import { overriddenModel, overridesOf } from '../json/member-rules.js';
import { replaceMembers } from '../json/replace-members.js';
import type { Edits, Quirks } from './quirks.js';
import { addressOf } from './quirks.js';
import type { NamedEffort } from './reasoning.js';
import { editForLimit, nameAmongOlder, nameOlder } from './output-limit.js';
import { editForReasoning, isOSeries, splitEffort } from './reasoning.js';

function editStreamOptions(json: JsonObject, target: ChannelTarget, quirks: Quirks, edits: Edits): void {
  const options = json.stream_options;
  const mode = quirks.streamUsage ?? 'pass';
  if (json.stream !== true || mode === 'strip') {
    if (options !== undefined) edits.set('stream_options', undefined);
    return;
  }
  const requested = isObject(options) ? options : {};
  if (mode === 'ask' && target.settings.forceStreamUsage && requested.include_usage !== true) {
    edits.set('stream_options', { ...requested, include_usage: true });
  }
}

/** The playground sends 0 for "no limit", which upstreams refuse. */
function dropEmptyLimits(json: JsonObject, edits: Edits): void {
  for (const name of ['max_tokens', 'max_completion_tokens']) if (json[name] === 0) edits.set(name, undefined);
}

/** The members of a chat request that must be replaced for this upstream; if there are none, the client's bytes are sent. */
function chatEdits(
  json: JsonObject,
  target: ChannelTarget,
  quirks: Quirks,
  outputLimit?: number,
): { edits: Edits; named: NamedEffort } {
  const edits: Edits = new Map();
  const named = splitEffort(target.model);
  if (json.model !== named.model) edits.set('model', named.model);
  dropEmptyLimits(json, edits);
  editStreamOptions(json, target, quirks, edits);
  editForReasoning(json, named, edits);
  const { olderLimit: isOlder = false } = quirks;
  if (isOlder) nameOlder(json, edits);
  for (const tweak of quirks.tweaks ?? []) tweak(json, edits);
  for (const [name, value] of overridesOf(target.paramOverride))
    edits.set(isOlder ? nameAmongOlder(name) : name, value);
  editForLimit(json, { limit: outputLimit, model: named.model, isOlder }, edits);
  return { edits, named };
}

export function headersOf(target: ChannelTarget, quirks: Quirks, isStream: boolean): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: isStream ? 'text/event-stream' : 'application/json',
    ...(quirks.authorize?.(target) ?? { authorization: `Bearer ${target.key}` }),
    ...quirks.headers?.(target, isStream),
  };
}

/** A request in OpenAI's dialect: the client's bytes with the edits applied. */
export function upstreamRequest(
  request: ClientRequest,
  target: ChannelTarget,
  quirks: Quirks,
  path: string,
): UpstreamRequest {
  const { edits, named } = chatEdits(request.json, target, quirks, request.outputLimit);
  const requestedEffort = request.json.reasoning_effort;
  const reasoningEffort = named.effort ?? (typeof requestedEffort === 'string' ? requestedEffort : undefined);
  return {
    method: 'POST',
    url: addressOf(target, quirks, path, request),
    headers: headersOf(target, quirks, request.json.stream === true),
    body: replaceMembers(request.bytes, edits),
    model: overriddenModel(target.paramOverride).model,
    reasoningEffort: reasoningEffort || undefined,
    thinksLong: isOSeries(named.model) || undefined,
  };
}
