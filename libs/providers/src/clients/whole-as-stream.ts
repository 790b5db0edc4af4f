import type { Usage } from '@tollgate/contracts';
import type { Dialect, JsonObject, ReplyContext } from '../adapter.js';
import { messagesFrames } from '../anthropic/whole-frames.js';
import { arrayOf, objectOf, parseObject } from '../json/json.js';
import { chatFrames } from '../openai-compatible/whole-frames.js';
import { responsesFrames } from '../responses/whole-frames.js';
import { dataFrame } from '../stream/stream-fold.js';

type Framer = (reply: JsonObject, context: ReplyContext, usage: Usage) => string[];

/** Each takes a whole reply in the client's dialect, so that nothing is lost of an upstream of the same dialect. */
const framers: Readonly<Record<Dialect, Framer>> = {
  openai: chatFrames,
  anthropic: (reply, _, usage) => messagesFrames(reply, usage),
  gemini: (reply) => [dataFrame(reply)],
  responses: responsesFrames,
};

/** Lists of which each entry becomes an event of its own, or a part of one. */
const LISTS = ['choices', 'output', 'content', 'annotations', 'citations', 'summary', 'tool_calls'] as const;
const MOST_ENTRIES = 10_000;
/** Some texts are in the events up to six times. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Choice, message, part, annotation, and some more. */
const MOST_DEPTH = 6;

function entriesIn(json: JsonObject, depth = 0): number {
  if (depth === MOST_DEPTH) return 0;
  let count = entriesIn(objectOf(json.message), depth + 1);
  for (const name of LISTS) {
    const list = arrayOf(json[name]);
    count += list.length;
    for (const entry of list) {
      if (count > MOST_ENTRIES) return count;
      count += entriesIn(objectOf(entry), depth + 1);
    }
  }
  return count;
}

/**
 * Whether a whole reply in the client's dialect may be written as a stream. A reply of a few megabytes can have millions of entries, whose
 * events would be gigabytes.
 */
export const fitsStream = (body: Buffer): boolean =>
  body.length <= MOST_BYTES && entriesIn(parseObject(body.toString('utf8')) ?? {}) <= MOST_ENTRIES;

/**
 * The whole stream for a client that asked for one, of an upstream that answered with a whole reply. `body` is the reply in the client's
 * dialect, `usage` the booked usage, which chat and messages state where the body states none.
 */
export const wholeAsStream = (dialect: Dialect, body: Buffer, context: ReplyContext, usage: Usage): Buffer =>
  Buffer.from(framers[dialect](parseObject(body.toString('utf8')) ?? {}, context, usage).join(''));
