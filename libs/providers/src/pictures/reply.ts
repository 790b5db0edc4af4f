import type { JsonObject, Reply, ReplyContext, UpstreamFault } from '../adapter.js';
import { noText } from '../stream/transcript.js';

export const noPictures = (body: Buffer, fault: UpstreamFault): Reply => ({
  body,
  usage: undefined,
  fault,
  text: () => noText,
});

/** OpenAI's list of pictures, of an upstream that says it otherwise and counts no tokens. */
export const picturesReply = (data: JsonObject[], { nowSeconds }: Pick<ReplyContext, 'nowSeconds'>): Reply => ({
  body: Buffer.from(JSON.stringify({ created: nowSeconds, data })),
  usage: undefined,
  text: () => noText,
});
