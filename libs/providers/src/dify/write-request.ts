import type { ChannelTarget, Json, JsonObject } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { inlinedIn, mediaOf } from '../attachments/attached.js';
import type { Conversation, MediaPart, Part } from '../conversation/conversation.js';
import { overridesOf } from '../json/member-rules.js';

const KINDS = { image: 'image', audio: 'audio', video: 'video', file: 'document' } as const;

/** A file by its URL, or by the id from its upload. */
function fileMembers(media: readonly MediaPart[], uploaded: readonly string[]): Json[] {
  const inlined = inlinedIn(media);
  return media.map((part) => {
    const { source } = part;
    const type = KINDS[part.type];
    return 'url' in source
      ? { type, transfer_method: 'remote_url', url: source.url }
      : { type, transfer_method: 'local_file', upload_file_id: uploaded[inlined.indexOf(part)] ?? '' };
  });
}

function wordsOf(part: Part): string[] {
  if (part.type === 'text') return [part.text];
  if (part.type === 'tool-result') return part.content.flatMap((item) => (item.type === 'text' ? [item.text] : []));
  return [];
}

/** An app accepts a single question, so the whole conversation becomes one text with headings. */
function queryOf({ system, turns }: Conversation): string {
  const sections = [
    ...system.map(({ text }) => ['SYSTEM', text]),
    ...turns.flatMap(({ role, parts }) =>
      parts.flatMap(wordsOf).map((text) => [role === 'assistant' ? 'ASSISTANT' : 'USER', text]),
    ),
  ];
  return sections.map(([heading, text]) => `${heading}: \n${text}\n`).join('');
}

/** Dify stores files per user, so an upload and its question must state the same user. */
export const userOf = ({ user }: Conversation, requestId: string): string => user ?? requestId;

/** Writes a conversation as a request to POST /v1/chat-messages. */
export function writeDifyRequest(
  conversation: Conversation,
  { uploaded, requestId }: { uploaded: readonly string[]; requestId: string },
  { paramOverride }: Pick<ChannelTarget, 'paramOverride'>,
): JsonObject {
  if (conversation.tools.length > 0 && conversation.toolChoice?.type !== 'none')
    throw new RequestRejected('invalid_text_request', 'tools are not supported in dify: an app brings its own');
  const files = fileMembers(mediaOf(conversation), uploaded);
  return {
    inputs: {},
    query: queryOf(conversation),
    response_mode: conversation.stream === true ? 'streaming' : 'blocking',
    user: userOf(conversation, requestId),
    auto_generate_name: false,
    ...(files.length > 0 && { files }),
    ...Object.fromEntries(overridesOf(paramOverride)),
  };
}
