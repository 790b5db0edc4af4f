import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, isObject, objectOf } from '../json/json.js';
import { wordsOf } from '../json/lazy-json.js';
import { fold } from '../json/member-rules.js';

/** Members of a request that can contain `cache_control`. */
const CACHED_MEMBERS = ['messages', 'system', 'tools', 'cache_control'];
/** Depth of a block within a tool result within a message; nothing that can be cached is nested deeper. */
const MAX_DEPTH = 8;
/** The cache lifetime that upstreams assume by default. */
const FIVE_MINUTES = '5m';

/** Whether the request wants content cached for longer than five minutes. An unknown lifetime counts as longer; texts are not searched. */
export function asksForHourCache(json: JsonObject): boolean {
  return Object.keys(json).some((name) => {
    const member = fold(name);
    if (!CACHED_MEMBERS.includes(member)) return false;
    const value = wordsOf(json, name, 0);
    return member === 'cache_control' ? isLong(value) : hasLong(value, 0);
  });
}

function hasLong(value: Json | undefined, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return arrayOf(value).some((item) => hasLong(item, depth + 1));
  if (!isObject(value)) return false;
  return Object.entries(value).some(([name, inner]) =>
    name === 'cache_control' && isLong(inner) ? true : hasLong(inner, depth + 1),
  );
}

function isLong(cacheControl: Json | undefined): boolean {
  const { ttl } = objectOf(cacheControl);
  return ttl !== undefined && ttl !== null && ttl !== FIVE_MINUTES;
}
