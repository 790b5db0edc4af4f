import { createHash } from 'node:crypto';
import { type Dialect, type JsonObject, objectOf, wordsOf } from '@tollgate/providers';
import type { RelayCall } from '../call/relay-call.js';

/**
 * Providers cache no prompt below 1024 tokens, which are about this many bytes; for shorter prompts the channel does
 * not matter.
 */
const LEAST_BYTES = 4096;
/**
 * Only this much of the instructions and of each of the first turns identifies a conversation; no more of a large body
 * is parsed.
 */
const MOST_CHARACTERS = 4096;
const MOST_BYTES = 64 * 1024;
const FIRST_TURNS = 2;
/** The members with which a prompt begins; each is read in any dialect. */
const beginnings: Readonly<Record<Dialect, readonly string[]>> = {
  anthropic: ['system', 'messages'],
  gemini: ['systemInstruction', 'contents'],
  responses: ['instructions', 'input'],
  openai: ['messages', 'input'],
};
const PROMPTS = [...new Set(Object.values(beginnings).flat())];

/**
 * The client's own name of its conversation: OpenAI's cache key, or the session that Anthropic's tools put into the
 * user id.
 */
function namedBy(json: JsonObject): string {
  const { prompt_cache_key: key, metadata } = json;
  const { user_id: user } = objectOf(metadata);
  return typeof key === 'string' ? key : typeof user === 'string' ? user : '';
}

/** The beginning of the prompt, in any dialect; the end grows with every turn. */
function beginningOf(json: JsonObject): string {
  const parts = PROMPTS.flatMap((name) => {
    const words = wordsOf(json, name, MOST_BYTES) ?? [];
    return Array.isArray(words) ? words.slice(0, FIRST_TURNS) : [words];
  });
  return parts.map((part) => JSON.stringify(part).slice(0, MOST_CHARACTERS)).join('\n');
}

/**
 * Identifies the conversation to which a call belongs, the same for each of its turns and on every replica; `undefined`
 * for a call whose prompt providers do not cache.
 */
export function conversationOf({
  json,
  bytes,
  user,
  model,
}: Pick<RelayCall, 'json' | 'bytes' | 'user' | 'model'>): string | undefined {
  const named = namedBy(json);
  if (named === '' && bytes.length < LEAST_BYTES) return undefined;
  const text = named === '' ? beginningOf(json) : named;
  return createHash('sha1').update(`${user.id}\n${model}\n${text}`).digest('base64url');
}

/**
 * Assigns a conversation to one of several items by weighted rendezvous hashing: always the same item while it is
 * available, and if it is removed only its own conversations move. Over many conversations each item gets a share by
 * its weight. Needs no memory, so all replicas agree.
 */
export function preferredOf<Item>(
  items: readonly Item[],
  conversation: string,
  { name, weight }: { name(item: Item): string; weight(item: Item): number },
): Item | undefined {
  let best: Item | undefined;
  let lowest = Infinity;
  for (const item of items) {
    const score = -Math.log(drawOf(`${conversation}/${name(item)}`)) / weight(item);
    if (score < lowest) [best, lowest] = [item, score];
  }
  return best;
}

/** Uniform in (0, 1) and deterministic for a text. */
function drawOf(text: string): number {
  const hash = createHash('sha1').update(text).digest();
  return (hash.readUInt32BE(0) + 0.5) / 2 ** 32;
}
