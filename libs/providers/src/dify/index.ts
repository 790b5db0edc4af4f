import { channelTypes } from '@tollgate/contracts';
import type { ChannelTarget, ClientRequest, Provider, UpstreamRequest } from '../adapter.js';
import { fileOf, inlinedIn, mediaOf } from '../attachments/attached.js';
import { multipart } from '../attachments/multipart.js';
import { everyClient } from '../clients/every-client.js';
import type { Conversation } from '../conversation/conversation.js';
import type { UpstreamSide } from '../conversation/converse.js';
import { parseObject, textOf } from '../json/json.js';
import { readDifyError, readDifyReply } from './read-reply.js';
import { difyStreamReader } from './read-stream.js';
import { userOf, writeDifyRequest } from './write-request.js';

const urlOf = ({ baseUrl }: ChannelTarget, path: string): string =>
  (baseUrl || channelTypes[37].baseUrl).replace(/\/+$/, '') + path;

const bearer = ({ key }: ChannelTarget): Record<string, string> => ({ authorization: `Bearer ${key}` });

/** The next request, given the ids of the files uploaded so far: the upload of the next file, or the question. */
function step(
  conversation: Conversation,
  { requestId = '' }: ClientRequest,
  target: ChannelTarget,
  uploaded: readonly string[],
): UpstreamRequest {
  const next = inlinedIn(mediaOf(conversation))[uploaded.length];
  if (next) {
    const { headers, body } = multipart({ user: userOf(conversation, requestId) }, fileOf(next));
    return { method: 'POST', url: urlOf(target, '/v1/files/upload'), headers: { ...headers, ...bearer(target) }, body };
  }
  const json = writeDifyRequest(conversation, { uploaded, requestId }, target);
  const accept = conversation.stream === true ? 'text/event-stream' : 'application/json';
  return {
    method: 'POST',
    url: urlOf(target, '/v1/chat-messages'),
    headers: { 'content-type': 'application/json', accept, ...bearer(target) },
    body: Buffer.from(JSON.stringify(json)),
    isFinal: true,
  };
}

const upstream: UpstreamSide = {
  writeRequest(conversation, request, target) {
    // Throws for an invalid request now, before any file is uploaded.
    writeDifyRequest(conversation, { uploaded: [], requestId: '' }, target);
    return step(conversation, request, target, []);
  },
  followUp(replies, conversation, request, target) {
    const uploaded = replies.map((body) => textOf(parseObject(body.toString('utf8'))?.id));
    if (uploaded.includes('')) return undefined;
    return { request: step(conversation, request, target, uploaded), afterMs: 0 };
  },
  readReply: readDifyReply,
  reader: difyStreamReader,
};

/** Apps of Dify: chatflows, chatbots and agents. Agents only answer requests for a stream. */
export const dify = {
  ...everyClient(upstream),
  hasOwnContext: true,
  heedsNoLimit: true,
  readError: readDifyError,
} satisfies Provider;
