import type { Json, JsonObject } from '../adapter.js';
import type { Conversation, MediaPart, Part, TextPart, ToolResultPart, Turn } from '../conversation/conversation.js';
import { callsIn, isText, joined, refusePart, stated, urlOfSource } from '../conversation/conversation.js';
import { callId, pairCalls } from '../conversation/call-ids.js';

function audioPart(part: MediaPart): JsonObject {
  const { source } = part;
  if (!('data' in source)) return refusePart(part, 'audio must be sent with the request');
  const format = source.mimeType.replace(/^audio\/(?:x-)?/, '').replace('mpeg', 'mp3');
  return { type: 'input_audio', input_audio: { data: source.data, format } };
}

const writers: Readonly<Record<MediaPart['type'], (part: MediaPart) => JsonObject>> = {
  image: ({ source }) => ({ type: 'image_url', image_url: { url: urlOfSource(source) } }),
  video: ({ source }) => ({ type: 'video_url', video_url: { url: urlOfSource(source) } }),
  audio: audioPart,
  file: ({ source, name = 'document.pdf' }) => ({
    type: 'file',
    file: { filename: name, file_data: urlOfSource(source) },
  }),
};

function partOf(part: TextPart | MediaPart): JsonObject {
  if (part.type !== 'text') return writers[part.type](part);
  const { text, cacheControl } = part;
  return { type: 'text', text, ...(cacheControl !== undefined && { cache_control: cacheControl }) };
}

/** A single text is sent as a string, which more servers support than a list. */
function contentOf(parts: (TextPart | MediaPart)[]): Json {
  const isPlain = parts.every((part) => part.type === 'text' && part.cacheControl === undefined);
  return isPlain ? textIn(parts) : parts.map(partOf);
}

/** The texts, one per line. */
const textIn = (parts: Part[]): string => {
  const texts = parts.filter(isText).map(({ text }) => text);
  return texts.length > 1 ? texts.filter(Boolean).join('\n') : (texts[0] ?? '');
};

/** Refuses documents by their URL: OpenAI fetches pictures only. */
export function refuseRemoteFiles({ turns }: Conversation): void {
  const parts = turns.flatMap((turn) =>
    turn.parts.flatMap((part): Part[] => (part.type === 'tool-result' ? part.content : [part])),
  );
  const remote = parts.find((part) => part.type === 'file' && !('data' in part.source));
  if (remote) refusePart(remote, 'a document must be sent with the request, not as an address');
}

const isSaid = (part: Part): part is TextPart | MediaPart =>
  part.type !== 'tool-result' && part.type !== 'tool-call' && part.type !== 'thinking';

/** A document of plain text is sent as a text, because chat upstreams read no other files than PDF. */
const readable = (part: TextPart | MediaPart): TextPart | MediaPart =>
  part.type === 'file' && 'data' in part.source && part.source.mimeType.startsWith('text/')
    ? { type: 'text', text: Buffer.from(part.source.data, 'base64').toString('utf8') }
    : part;

/** A tool result is a message of its own; images in it follow as a user message, because a tool message cannot hold them. */
function userMessages(parts: Part[]): JsonObject[] {
  const results = parts
    .filter((part): part is ToolResultPart => part.type === 'tool-result')
    .map((part) => ({ ...part, content: part.content.map(readable) }));
  const messages: JsonObject[] = results.map((result) => ({
    role: 'tool',
    tool_call_id: result.callId,
    content: textIn(result.content),
  }));
  const rest = results.flatMap(({ content }) => content.filter((part) => part.type !== 'text'));
  const contentParts = [...rest, ...parts.filter(isSaid).map(readable)];
  if (contentParts.length === 0 && results.length > 0) return messages;
  return [...messages, { role: 'user', content: contentOf(contentParts) }];
}

function assistantMessage(parts: Part[]): JsonObject {
  const text = joined(parts, 'text');
  const calls = callsIn(parts).map(({ id, name, arguments: written }) => ({
    id,
    type: 'function',
    function: { name, arguments: written },
  }));
  return calls.length === 0
    ? { role: 'assistant', content: text }
    : { role: 'assistant', content: text || null, tool_calls: calls };
}

const messagesOf = ({ role, parts }: Turn): JsonObject[] =>
  role === 'assistant' ? [assistantMessage(parts)] : userMessages(parts);

const CHOICES = { auto: 'auto', none: 'none', any: 'required' } as const;

function toolMembers({ tools, toolChoice, parallelTools }: Conversation): JsonObject {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters, strict }) => ({
      type: 'function',
      function: stated({ name, description, parameters, strict }),
    })),
    ...(toolChoice && {
      tool_choice:
        toolChoice.type === 'tool'
          ? { type: 'function', function: { name: toolChoice.name ?? '' } }
          : CHOICES[toolChoice.type],
    }),
    ...(parallelTools === false && { parallel_tool_calls: false }),
  };
}

function formatOf(json: Conversation['json']): JsonObject | undefined {
  if (!json) return undefined;
  const { schema, name = 'answer', strict } = json;
  if (!schema) return { type: 'json_object' };
  return { type: 'json_schema', json_schema: stated<JsonObject>({ name, schema, strict }) };
}

/** Writes a body of POST /v1/chat/completions. Chat has no counterpart of `top_k` and `thinking`. */
export function writeChatRequest(conversation: Conversation): JsonObject {
  const { sampling, maxTokens, stream } = conversation;
  const { temperature, topP, seed, presencePenalty, frequencyPenalty, choices, stop } = sampling;
  const system = textIn(conversation.system);
  return stated<JsonObject>({
    model: conversation.model,
    max_tokens: maxTokens,
    temperature,
    top_p: topP,
    stream,
    service_tier: conversation.serviceTier,
    seed,
    presence_penalty: presencePenalty,
    frequency_penalty: frequencyPenalty,
    n: choices,
    messages: [
      ...(system ? [{ role: 'system', content: system }] : []),
      ...pairCalls(conversation.turns, callId).flatMap(messagesOf),
    ],
    stop: stop.length === 1 ? stop[0] : stop.length > 0 ? stop : undefined,
    ...toolMembers(conversation),
    response_format: formatOf(conversation.json),
    reasoning_effort: conversation.effort,
    user: conversation.user,
  });
}
