import type { JsonObject, Reply, ReplyContext, UpstreamFault } from '../adapter.js';
import { noText } from '../stream/transcript.js';

export const noPictures = (body: Buffer, fault: UpstreamFault): Reply => ({
  body,
  usage: undefined,
  fault,
  text: () => noText,
});

/** OpenAI's list of pictures, for upstreams that return pictures in another form and count no tokens. */
export const picturesReply = (data: JsonObject[], { nowSeconds }: Pick<ReplyContext, 'nowSeconds'>): Reply => ({
  body: Buffer.from(JSON.stringify({ created: nowSeconds, data })),
  usage: undefined,
  text: () => noText,
});
