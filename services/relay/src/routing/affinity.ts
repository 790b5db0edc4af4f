import { createHash } from 'node:crypto';
import { type JsonObject, objectOf, wordsOf } from '@tollgate/providers';
import type { RelayCall } from '../call/relay-call.js';

/** Providers keep no prompt of fewer than 1024 tokens, which are about so many bytes: below that any channel is as good as another. */
const LEAST_BYTES = 4096;
/** Of the instructions and of each of the first turns so much is looked at; a body that is large is not parsed for more. */
const MOST_CHARACTERS = 4096;
const MOST_BYTES = 64 * 1024;
const FIRST_TURNS = 2;
const PROMPTS = ['system', 'systemInstruction', 'instructions', 'messages', 'contents', 'input'];

/** What a client calls its conversation: OpenAI's cache key, and the session that Anthropic's tools put into the user. */
function namedBy(json: JsonObject): string {
  const { prompt_cache_key: key, metadata } = json;
  const { user_id: user } = objectOf(metadata);
  return typeof key === 'string' ? key : typeof user === 'string' ? user : '';
}

/** How the prompt begins, whatever dialect it is in; the end grows with every turn. */
function beginningOf(json: JsonObject): string {
  const parts = PROMPTS.flatMap((name) => {
    const words = wordsOf(json, name, MOST_BYTES) ?? [];
    return Array.isArray(words) ? words.slice(0, FIRST_TURNS) : [words];
  });
  return parts.map((part) => JSON.stringify(part).slice(0, MOST_CHARACTERS)).join('\n');
}

/**
 * Names the conversation that a call goes on with, the same for each of its turns and on every replica; undefined for a call whose prompt
 * nobody keeps.
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
 * The one of several that a conversation goes to: each time the same as long as it is there, another one for few others when it is not
 * (weighted rendezvous). Over many conversations each gets a share by its weight. Needs no memory, so all replicas agree.
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

/** Uniform in (0, 1), and always the same for a text. */
function drawOf(text: string): number {
  const hash = createHash('sha1').update(text).digest();
  return (hash.readUInt32BE(0) + 0.5) / 2 ** 32;
}
