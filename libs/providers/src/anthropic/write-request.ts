import type { Json, JsonObject } from '../adapter.js';
import { callId, distinctCalls, pairCalls } from '../conversation/call-ids.js';
import type { Conversation, MediaPart, Part, TextPart, Turn } from '../conversation/conversation.js';
import { isText, refusePart, stated, UNTYPED } from '../conversation/conversation.js';
import { encodedPictureType } from '../json/picture-type.js';
import { parseObject, textOf } from '../json/json.js';
import { answerSchema } from './schema.js';

/** Anthropic refuses text that is empty or white space alone. */
export const PLACEHOLDER = '...';

const isBlank = (text: string): boolean => text.trim() === '';
const saysNothing = (part: Part): boolean => part.type === 'text' && isBlank(part.text);

const cacheOf = ({ cacheControl }: { cacheControl?: Json }): JsonObject =>
  cacheControl === undefined ? {} : { cache_control: cacheControl };

const textBlock = (part: TextPart): JsonObject => ({
  type: 'text',
  text: isBlank(part.text) ? PLACEHOLDER : part.text,
  ...cacheOf(part),
});

/** Anthropic takes no document in base64 but a PDF. */
const textSource = (data: string): JsonObject => ({
  ...{ type: 'text', media_type: 'text/plain' },
  data: Buffer.from(data, 'base64').toString('utf8'),
});

/** Base64 data is sent along; Anthropic fetches a URL itself. It refuses a picture of another type than the stated one. */
function sourceOf(part: MediaPart): JsonObject {
  const { source } = part;
  if ('data' in source) {
    const { data, mimeType } = source;
    if (part.type === 'file' && mimeType.startsWith('text/')) return textSource(data);
    const type = part.type === 'image' ? encodedPictureType(data, mimeType) : mimeType;
    return type === '' ? refusePart(part, UNTYPED) : { type: 'base64', media_type: type, data };
  }
  if (/^https?:\/\//.test(source.url)) return { type: 'url', url: source.url };
  return refusePart(part, 'image_url must be an http(s) address or a base64 data URI');
}

const notSaid =
  (type: string) =>
  (part: MediaPart): never =>
    refusePart(part, `content of type ${type} is not supported`);

const media: Readonly<Record<MediaPart['type'], (part: MediaPart) => JsonObject>> = {
  image: (part) => ({ type: 'image', source: sourceOf(part), ...cacheOf(part) }),
  file: (part) => ({
    type: 'document',
    source: sourceOf(part),
    ...(part.name && { title: part.name }),
    ...cacheOf(part),
  }),
  audio: notSaid('input_audio'),
  video: notSaid('video_url'),
};

const contentBlock = (part: TextPart | MediaPart): JsonObject =>
  part.type === 'text' ? textBlock(part) : media[part.type](part);

const isPlain = (parts: Part[]): boolean => {
  const [only] = parts;
  return parts.length === 1 && only?.type === 'text' && only.cacheControl === undefined;
};

/** A result may be empty. */
function toolResult(content: (TextPart | MediaPart)[]): Json {
  const said = content.filter((part) => !saysNothing(part));
  if (said.length === 0) return '';
  return isPlain(said) && said[0]?.type === 'text' ? said[0].text : said.map(contentBlock);
}

/** Anthropic allows letters, digits, `_` and `-` in ids; those of other upstreams may have more. */
const idOf = (id: string): string => id.replaceAll(/[^\w-]/g, '_');

function blocksOf(part: Part): JsonObject[] {
  switch (part.type) {
    // Anthropic accepts a thought only with its own signature, which other upstreams do not provide.
    case 'thinking':
      return [];
    case 'tool-call':
      // A call that was cut off stays with its result, which is how the model learns of its mistake.
      return [{ type: 'tool_use', id: part.id, name: part.name, input: parseObject(part.arguments) ?? {} }];
    case 'tool-result':
      return [{ type: 'tool_result', tool_use_id: part.callId, content: toolResult(part.content) }];
    default:
      return [contentBlock(part)];
  }
}

interface Blocks {
  role: Turn['role'];
  content: JsonObject[];
}

const EMPTY: TextPart = { type: 'text', text: '' };

/** The text of a turn that consists of a single text block. */
function plainText(content: JsonObject[]): string | undefined {
  const [only] = content;
  const isText = content.length === 1 && only?.type === 'text' && only.cache_control === undefined;
  return isText ? textOf(only.text) : undefined;
}

/** The blocks of a turn, of which at least one says something. */
function contentOf(parts: Part[]): JsonObject[] {
  const blocks = parts.filter((part) => !saysNothing(part)).flatMap(blocksOf);
  return blocks.length > 0 ? blocks : [textBlock(parts.find(isText) ?? EMPTY)];
}

/** Merges consecutive turns of one role, so that the results of parallel calls are in one turn; consecutive plain texts become one text. */
function mergedTurns(turns: Turn[]): Blocks[] {
  const merged: Blocks[] = [];
  for (const { role, parts } of distinctCalls(pairCalls(turns, callId), idOf)) {
    const content = contentOf(parts);
    const last = merged.at(-1);
    if (last?.role !== role) {
      merged.push({ role, content });
      continue;
    }
    const [before, text] = [plainText(last.content), plainText(content)];
    if (before === undefined || text === undefined) last.content.push(...content);
    else last.content = [{ type: 'text', text: `${before} ${text}` }];
  }
  if (merged[0]?.role !== 'user') merged.unshift({ role: 'user', content: [textBlock(EMPTY)] });
  return merged;
}

const isResult = ({ type }: JsonObject): boolean => type === 'tool_result';

/** Anthropic demands that a turn begins with its results of tools. */
const resultsFirst = ({ role, content }: Blocks): Blocks => ({
  role,
  content: content.toSorted((one, other) => Number(isResult(other)) - Number(isResult(one))),
});

/** Anthropic refuses white space at the end of an answer that the model is to go on with. */
function withoutSpaceAtEnd(turns: Blocks[]): Blocks[] {
  const last = turns.at(-1);
  const block = last?.content.at(-1);
  if (last?.role === 'assistant' && block?.type === 'text') block.text = textOf(block.text).trimEnd();
  return turns;
}

/** Writes a turn of one plain text as a string, as most clients of Anthropic do. */
const compact = ({ role, content }: Blocks): JsonObject => ({ role, content: plainText(content) ?? content });

function systemOf(parts: TextPart[]): Json | undefined {
  if (parts.length === 0) return undefined;
  const said = parts.filter((part) => !saysNothing(part));
  const blocks = (said.length > 0 ? said : [EMPTY]).map(textBlock);
  return blocks.some((block) => block.cache_control !== undefined)
    ? blocks
    : blocks.map(({ text }) => textOf(text)).join('\n');
}

function toolMembers({ tools, toolChoice, parallelTools }: Conversation): JsonObject {
  if (tools.length === 0) return {};
  const choice = toolChoice ?? (parallelTools === false ? { type: 'auto' } : undefined);
  return {
    tools: tools.map((tool) =>
      stated<JsonObject>({
        name: tool.name,
        description: tool.description,
        input_schema: { type: 'object', ...(tool.parameters ?? { properties: {} }) },
        ...cacheOf(tool),
      }),
    ),
    // Anthropic knows the member only where a tool may be called.
    tool_choice: choice && {
      ...choice,
      ...(parallelTools === false && choice.type !== 'none' && { disable_parallel_tool_use: true }),
    },
  };
}

/** Anthropic's temperature ranges up to 1, OpenAI's up to 2. */
const temperatureOf = (value: number | undefined): number | undefined =>
  value === undefined ? undefined : Math.min(value, 1);

/** Anthropic refuses a `user_id` that looks like the address or the telephone number of a person. */
const TELEPHONE = /^\+?[\d\s().-]{7,}$/;

const metadataOf = (user: string | undefined): JsonObject | undefined =>
  user === undefined || user.includes('@') || TELEPHONE.test(user) ? undefined : { user_id: user };

/** Writes a body of POST /v1/messages with the requested model name. Throws `RequestRejected` for audio and video. */
export function writeMessagesRequest(conversation: Conversation): JsonObject {
  const { json, sampling, user } = conversation;
  const stop = sampling.stop.filter((text) => !isBlank(text));
  return stated<JsonObject>({
    model: conversation.model,
    max_tokens: conversation.maxTokens,
    top_p: sampling.topP,
    top_k: sampling.topK,
    stream: conversation.stream,
    thinking: conversation.thinking,
    metadata: metadataOf(user),
    temperature: temperatureOf(sampling.temperature),
    stop_sequences: stop.length > 0 ? stop : undefined,
    system: systemOf(conversation.system),
    messages: withoutSpaceAtEnd(mergedTurns(conversation.turns).map(resultsFirst)).map(compact),
    output_config: json?.schema && { format: { type: 'json_schema', schema: answerSchema(json.schema) } },
    ...toolMembers(conversation),
  });
}
