import type { ChannelTarget, Json, JsonObject } from '../adapter.js';
import { ChannelUnusable, RequestRejected } from '../adapter.js';
import { inlinedIn, isMedia, mediaOf } from '../attachments/attached.js';
import type { Conversation, MediaPart, Part, Turn } from '../conversation/conversation.js';
import { refusePart } from '../conversation/conversation.js';
import { overridesOf } from '../json/member-rules.js';

const refuse = (message: string): never => {
  throw new RequestRejected('invalid_text_request', message);
};

type IdOf = (part: MediaPart) => string;

function mediaItem(part: MediaPart, idOf: IdOf): JsonObject {
  if (part.type === 'video') return refusePart(part, 'video content is not supported in coze');
  const { source } = part;
  return 'url' in source ? { type: part.type, file_url: source.url } : { type: part.type, file_id: idOf(part) };
}

function itemsOf(part: Part, idOf: IdOf): JsonObject[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  if (part.type === 'tool-result') return part.content.flatMap((item) => itemsOf(item, idOf));
  return isMedia(part) ? [mediaItem(part, idOf)] : [];
}

/** Text alone is sent as a string; with files, as a list serialised to a string. */
function messagesOf({ role, parts }: Turn, idOf: IdOf): JsonObject[] {
  const items = parts.flatMap((part) => itemsOf(part, idOf));
  if (items.length === 0) return [];
  const isPlain = items.every(({ type }) => type === 'text');
  const content = isPlain ? items.map(({ text }) => text).join('\n') : JSON.stringify(items);
  const kind = role === 'assistant' ? { type: 'answer' } : {};
  return [{ role, ...kind, content, content_type: isPlain ? 'text' : 'object_string' }];
}

/** Writes a body of POST /v3/chat. A bot has its own instructions, so the client's system text is sent first, as a user message. */
export function writeCozeRequest(
  conversation: Conversation,
  { uploaded, requestId }: { uploaded: readonly string[]; requestId: string },
  { other, paramOverride }: Pick<ChannelTarget, 'other' | 'paramOverride'>,
): JsonObject {
  if (other === '') throw new ChannelUnusable('channel:bot_missing', 'the channel names no bot', 'upstream');
  if (conversation.tools.length > 0 && conversation.toolChoice?.type !== 'none')
    return refuse('tools are not supported in coze: a bot brings its own');
  const inlined = inlinedIn(mediaOf(conversation));
  const idOf: IdOf = (part) => uploaded[inlined.indexOf(part)] ?? '';
  const system: Turn[] = conversation.system.length > 0 ? [{ role: 'user', parts: conversation.system }] : [];
  const messages: Json[] = [...system, ...conversation.turns].flatMap((turn) => messagesOf(turn, idOf));
  if (messages.length === 0) return refuse('there is nothing to answer');
  return {
    bot_id: other,
    user_id: conversation.user ?? requestId,
    additional_messages: messages,
    stream: conversation.stream === true,
    ...Object.fromEntries(overridesOf(paramOverride)),
  };
}
