import type { Usage } from '@tollgate/contracts';
import type { Dialect, JsonObject, ReplyContext } from '../adapter.js';
import { messagesFrames } from '../anthropic/whole-frames.js';
import { parseObject } from '../json/json.js';
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

/**
 * The whole stream for a client that asked for one, of an upstream that answered with a whole reply. `body` is the reply in the client's
 * dialect, `usage` the booked usage, which is stated where the body states none.
 */
export const wholeAsStream = (dialect: Dialect, body: Buffer, context: ReplyContext, usage: Usage): Buffer =>
  Buffer.from(framers[dialect](parseObject(body.toString('utf8')) ?? {}, context, usage).join(''));
