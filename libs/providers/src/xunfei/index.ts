import type { JsonObject, Provider } from '../adapter.js';
import { everyClient } from '../clients/every-client.js';
import type { UpstreamSide } from '../conversation/converse.js';
import { parseObject, textOf } from '../json/json.js';
import { plainReader } from '../plain/reply.js';
import { sparkKeyOf, sparkProof } from './address.js';
import { readSparkReply, sparkFault, sparkPiece } from './reply.js';
import { sparkRequest } from './request.js';

const upstream: UpstreamSide = {
  writeRequest: sparkRequest,
  readReply: readSparkReply,
  reader: plainReader(sparkPiece, sparkFault),
};

/** A refused handshake has a body with a single message. */
function readError(body: string | undefined): JsonObject {
  const json = parseObject(body ?? '') ?? {};
  const message = textOf(json.message);
  const isKey = /hmac|signature|apikey|app_id/i.test(message);
  return { error: { type: isKey ? 'authentication_error' : 'xunfei_error', ...(message && { message }) } };
}

/** Xunfei's Spark: one WebSocket per question, at a signed address. */
export const xunfei = {
  ...everyClient(upstream),
  authorize: async ({ url }, { key, nowMs }) => ({ query: sparkProof(url, sparkKeyOf(key), nowMs) }),
  readError,
} satisfies Provider;
