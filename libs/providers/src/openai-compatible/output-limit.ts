import type { ClientRequest, JsonObject } from '../adapter.js';
import { replaceMembers } from '../json/replace-members.js';
import type { Edits } from './quirks.js';

const OLDER = 'max_tokens';
const NEWER = 'max_completion_tokens';
const NAMES = [OLDER, NEWER];

/** OpenAI refuses the older name for these. */
const isNewName = (model: string): boolean => /^(o\d|gpt-5(?!-chat)|codex-|grok-3-mini)/.test(model);

const namesOf = (isOlder?: boolean): readonly string[] => (isOlder ? [OLDER] : NAMES);
const nameFor = (model: string, isOlder?: boolean): string => (!isOlder && isNewName(model) ? NEWER : OLDER);

/** Says what the client allows by the older name. */
export function nameOlder(json: JsonObject, edits: Edits): void {
  const limit = edits.has(NEWER) ? edits.get(NEWER) : json[NEWER];
  if (limit === undefined) return;
  edits.set(NEWER, undefined);
  if (typeof limit === 'number' && limit > 0) edits.set(OLDER, limit);
}

/** The name of a member for upstreams that know only the older limit of output; any other name stays. */
export const nameAmongOlder = (name: string): string => (name === NEWER ? OLDER : name);

/** Lowers what the request will say to `limit`, under the name it uses; says it under the model's own name where it says nothing. */
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

/** The client's own bytes for an operator who wants nothing changed in them, but for the limit that the caller's quota needs. */
export function limitedBytes({ bytes, json, outputLimit }: ClientRequest, isOlder = false): Buffer {
  const edits: Edits = new Map();
  const model = typeof json.model === 'string' ? json.model : '';
  editForLimit(json, { limit: outputLimit, model, isOlder }, edits);
  return replaceMembers(bytes, edits);
}
