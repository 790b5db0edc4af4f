import { channelTypes } from '@tollgate/contracts';
import type { ChannelTarget, ClientRequest, FollowUp, JsonObject, Provider, UpstreamRequest } from '../adapter.js';
import { fileOf, inlinedIn, mediaOf } from '../attachments/attached.js';
import { multipart } from '../attachments/multipart.js';
import { everyClient } from '../clients/every-client.js';
import type { Conversation } from '../conversation/conversation.js';
import type { UpstreamSide } from '../conversation/converse.js';
import { objectOf, parseObject, textOf } from '../json/json.js';
import { readCozeReply } from './read-reply.js';
import { cozeStreamReader } from './read-stream.js';
import { writeCozeRequest } from './write-request.js';

/** Milliseconds between polls of a running chat. */
const POLL_MS = 1000;

const urlOf = ({ baseUrl }: ChannelTarget, path: string): string =>
  (baseUrl || channelTypes[49].baseUrl).replace(/\/+$/, '') + path;

const bearer = ({ key }: ChannelTarget): Record<string, string> => ({ authorization: `Bearer ${key}` });

const get = (target: ChannelTarget, path: string): UpstreamRequest => ({
  method: 'GET',
  url: urlOf(target, path),
  headers: { accept: 'application/json', ...bearer(target) },
});

/** The next request: the upload of the next file, or the chat once all files have ids. */
function step(
  conversation: Conversation,
  { requestId = '' }: ClientRequest,
  target: ChannelTarget,
  uploaded: readonly string[],
): UpstreamRequest {
  const next = inlinedIn(mediaOf(conversation))[uploaded.length];
  if (next) {
    const { headers, body } = multipart({}, fileOf(next));
    return { method: 'POST', url: urlOf(target, '/v1/files/upload'), headers: { ...headers, ...bearer(target) }, body };
  }
  const isStream = conversation.stream === true;
  return {
    method: 'POST',
    url: urlOf(target, '/v3/chat'),
    headers: {
      'content-type': 'application/json',
      accept: isStream ? 'text/event-stream' : 'application/json',
      ...bearer(target),
    },
    body: Buffer.from(JSON.stringify(writeCozeRequest(conversation, { uploaded, requestId }, target))),
    ...(isStream && { isFinal: true }),
  };
}

const dataOf = (body: Buffer | undefined): JsonObject => objectOf(parseObject(body?.toString('utf8') ?? '')?.data);

/** The requests after the chat was created: polls of its state until it has ended, then its messages. */
function afterChat(replies: readonly JsonObject[], last: JsonObject, target: ChannelTarget): FollowUp | undefined {
  const [made = {}] = replies;
  const query = new URLSearchParams({
    conversation_id: textOf(made.conversation_id),
    chat_id: textOf(made.id),
  }).toString();
  const chat = replies.findLast(({ status }) => status === 'completed');
  if (chat && Array.isArray(last.data)) {
    return { answer: Buffer.from(JSON.stringify({ code: 0, chat, messages: last.data })) };
  }
  if (chat) return { request: get(target, `/v3/chat/message/list?${query}`), afterMs: 0 };
  const { status } = replies.at(-1) ?? {};
  const goesOn = status === 'created' || status === 'in_progress';
  return goesOn ? { request: get(target, `/v3/chat/retrieve?${query}`), afterMs: POLL_MS } : undefined;
}

const upstream: UpstreamSide = {
  writeRequest(conversation, request, target) {
    // Throws for an invalid request now, before any file is uploaded.
    writeCozeRequest(conversation, { uploaded: [], requestId: '' }, target);
    return step(conversation, request, target, []);
  },
  followUp(replies, conversation, request, target) {
    const files = inlinedIn(mediaOf(conversation)).length;
    const last = parseObject(replies.at(-1)?.toString('utf8') ?? '') ?? {};
    if (replies.length > files) return afterChat(replies.slice(files).map(dataOf), last, target);
    const uploaded = replies.map((body) => textOf(dataOf(body).id));
    if (uploaded.includes('')) return undefined;
    return { request: step(conversation, request, target, uploaded), afterMs: 0 };
  },
  readReply: readCozeReply,
  reader: cozeStreamReader,
};

/** Bots of Coze. An unstreamed answer is a chat that is polled until it has ended. */
export const coze = { ...everyClient(upstream), hasOwnContext: true, heedsNoLimit: true } satisfies Provider;
