import type { ClientRequest, JsonObject } from '../adapter.js';
import { replaceMembers } from '../replace-members.js';
import type { Edits } from './quirks.js';

const NAMES = ['max_tokens', 'max_completion_tokens'] as const;

/** OpenAI refuses the older name for these. */
const isNewName = (model: string): boolean => /^(o\d|gpt-5(?!-chat)|codex-|grok-3-mini)/.test(model);

/** Lowers what the request will say to `limit`, under the name it uses; says it under the model's own name where it says nothing. */
export function editForLimit(
  json: JsonObject,
  { limit, model }: { limit: number | undefined; model: string },
  edits: Edits,
): void {
  if (limit === undefined) return;
  let isLimited = false;
  for (const name of NAMES) {
    const value = edits.has(name) ? edits.get(name) : json[name];
    if (value === undefined || value === null) continue;
    isLimited = true;
    if (typeof value !== 'number' || value <= 0 || value > limit) edits.set(name, limit);
  }
  if (!isLimited) edits.set(isNewName(model) ? 'max_completion_tokens' : 'max_tokens', limit);
}

/** The client's own bytes for an operator who wants nothing changed in them, but for the limit that the caller's quota needs. */
export function limitedBytes({ bytes, json, outputLimit }: ClientRequest): Buffer {
  const edits: Edits = new Map();
  const model = typeof json.model === 'string' ? json.model : '';
  editForLimit(json, { limit: outputLimit, model }, edits);
  return replaceMembers(bytes, edits);
}
