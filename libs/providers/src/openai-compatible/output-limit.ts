import type { ClientRequest, JsonObject } from '../adapter.js';
import { replaceMembers } from '../json/replace-members.js';
import type { Edits } from './quirks.js';
import { hasRulesOfReasoning, isGrokMini } from './reasoning.js';

const OLDER = 'max_tokens';
const NEWER = 'max_completion_tokens';
const NAMES = [OLDER, NEWER];

/** `max_tokens` is refused for these models. */
const isNewName = (model: string): boolean => hasRulesOfReasoning(model) || isGrokMini(model);

const namesOf = (isOlder?: boolean): readonly string[] => (isOlder ? [OLDER] : NAMES);
const nameFor = (model: string, isOlder?: boolean): string => (!isOlder && isNewName(model) ? NEWER : OLDER);

/** The request with its limit under the name that the model expects. */
export function withNamedLimit(model: string, json: JsonObject): JsonObject {
  const { [OLDER]: limit, ...rest } = json;
  return limit !== undefined && isNewName(model) ? { ...rest, [NEWER]: limit } : json;
}

/** Moves the client's limit from `max_completion_tokens` to `max_tokens`. */
export function nameOlder(json: JsonObject, edits: Edits): void {
  const limit = edits.has(NEWER) ? edits.get(NEWER) : json[NEWER];
  if (limit === undefined) return;
  edits.set(NEWER, undefined);
  if (typeof limit === 'number' && limit > 0) edits.set(OLDER, limit);
}

/** Maps the newer name of the limit to the older one, for upstreams that know only that; other names are returned unchanged. */
export const nameAmongOlder = (name: string): string => (name === NEWER ? OLDER : name);

/**
 * Lowers the limit in the request to `limit`, under whichever name it has; if there is none, adds one under the name that the model
 * expects.
 */
export function editForLimit(
  json: JsonObject,
  { limit, model, isOlder }: { limit: number | undefined; model: string; isOlder?: boolean },
  edits: Edits,
): void {
  if (limit === undefined) return;
  let isLimited = false;
  for (const name of namesOf(isOlder)) {
    const value = edits.has(name) ? edits.get(name) : json[name];
    if (value === undefined || value === null) continue;
    isLimited = true;
    if (typeof value !== 'number' || value <= 0 || value > limit) edits.set(name, limit);
  }
  if (!isLimited) edits.set(nameFor(model, isOlder), limit);
}

/** The client's own bytes for channels that pass bodies on unchanged, except for the limit of the caller's quota. */
export function limitedBytes({ bytes, json, outputLimit }: ClientRequest, isOlder = false): Buffer {
  const edits: Edits = new Map();
  const model = typeof json.model === 'string' ? json.model : '';
  editForLimit(json, { limit: outputLimit, model, isOlder }, edits);
  return replaceMembers(bytes, edits);
}
