import type { ClientRequest, Json, JsonObject } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import type {
  Conversation,
  MediaPart,
  Part,
  TextPart,
  Tool,
  ToolCallPart,
  Turn,
} from '../conversation/conversation.js';
import { flagOf, isText, numberOf, sourceOf, stated } from '../conversation/conversation.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';

const cacheOf = ({ cache_control: cacheControl }: JsonObject): { cacheControl?: Json } =>
  cacheControl === undefined ? {} : { cacheControl };

/** The URL may be a string or in an object. */
const addressIn = (value: Json | undefined): string =>
  typeof value === 'string' ? value : textOf(objectOf(value).url);

const media =
  (type: MediaPart['type'], member: string) =>
  (part: JsonObject, at: string): MediaPart => ({
    type,
    source: sourceOf(addressIn(part[member])),
    at,
    ...cacheOf(part),
  });

function filePart(part: JsonObject, at: string): MediaPart {
  const file = objectOf(part.file);
  const name = textOf(file.filename);
  return { type: 'file', source: sourceOf(textOf(file.file_data)), at, ...(name && { name }), ...cacheOf(part) };
}

function audioPart(part: JsonObject, at: string): MediaPart {
  const { data, format } = objectOf(part.input_audio);
  return { type: 'audio', source: { mimeType: `audio/${textOf(format) || 'wav'}`, data: textOf(data) }, at };
}

const readers: Readonly<Record<string, (part: JsonObject, at: string) => TextPart | MediaPart>> = {
  text: (part) => ({ type: 'text', text: textOf(part.text), ...cacheOf(part) }),
  refusal: (part) => ({ type: 'text', text: textOf(part.refusal) }),
  image_url: media('image', 'image_url'),
  video_url: media('video', 'video_url'),
  input_audio: audioPart,
  file: filePart,
};

function partOf(item: Json, at: string): TextPart | MediaPart {
  const part = objectOf(item);
  const type = textOf(part.type);
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (!read) throw new RequestRejected('invalid_text_request', `content of type ${type} is not supported`, at);
  return read(part, at);
}

/** `at` is the path of the message. */
const contentOf = (content: Json | undefined, at: string): (TextPart | MediaPart)[] =>
  typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : arrayOf(content).map((part, index) => partOf(part, `${at}.content.${index}`));

const hasText = (content: Json | undefined): boolean => textOf(content) !== '' || arrayOf(content).length > 0;

/** Keeps the place of a turn that said nothing, so that the turns around it do not become one. */
const NOTHING: TextPart = { type: 'text', text: '' };

/** `at` is the path of the call. */
function callOf(item: Json, at: string): ToolCallPart {
  const call = objectOf(item);
  const fn = objectOf(call.function);
  const signature = textOf(objectOf(objectOf(call.extra_content).google).thought_signature);
  return {
    type: 'tool-call',
    id: textOf(call.id),
    name: textOf(fn.name),
    arguments: textOf(fn.arguments),
    at: `${at}.function.arguments`,
    ...(signature && { signature }),
  };
}

/**
 * A message and what is read from it. Reasoning that a client sends back is dropped: upstreams demand a signature for it, which chat
 * clients do not have.
 */
interface MessageAt {
  message: JsonObject;
  at: string;
}

function assistantParts(message: JsonObject, at: string): Part[] {
  const contentParts = contentOf(hasText(message.content) ? message.content : textOf(message.refusal) || [], at);
  const calls = arrayOf(message.tool_calls).map((call, index) => callOf(call, `${at}.tool_calls.${index}`));
  const parts = [...contentParts, ...calls];
  return parts.length > 0 ? parts : [NOTHING];
}

function turnOf({ message, at }: MessageAt): Turn {
  if (message.role === 'assistant') return { role: 'assistant', parts: assistantParts(message, at) };
  const content = contentOf(message.content, at);
  if (message.role !== 'tool') return { role: 'user', parts: content.length > 0 ? content : [NOTHING] };
  const callId = textOf(message.tool_call_id);
  const name = textOf(message.name);
  return { role: 'user', parts: [{ type: 'tool-result', callId, name, content, at: `${at}.tool_call_id` }] };
}

const isSystem = ({ message: { role } }: MessageAt): boolean => role === 'system' || role === 'developer';

const nameIn = (tool: Json): string => textOf(objectOf(objectOf(tool).function).name);

/** The tools of a request, limited to those that `tool_choice` allows. */
function toolsOf(json: JsonObject): Tool[] {
  const { allowed_tools: allowed } = objectOf(json.tool_choice);
  const names = allowed === undefined ? undefined : new Set(arrayOf(objectOf(allowed).tools).map(nameIn));
  return arrayOf(json.tools).flatMap((item) => {
    const tool = objectOf(item);
    const { name, description, parameters, strict } = objectOf(tool.function);
    if (!textOf(name) || names?.has(textOf(name)) === false) return [];
    const schema = isObject(parameters) ? parameters : undefined;
    return [stated({ name: textOf(name), description, parameters: schema, strict: flagOf(strict), ...cacheOf(tool) })];
  });
}

const CHOICES = { auto: 'auto', none: 'none', required: 'any' } as const;

function toolChoiceOf(choice: Json | undefined): Conversation['toolChoice'] {
  const { function: named, allowed_tools: allowed } = objectOf(choice);
  if (named !== undefined) return { type: 'tool', name: textOf(objectOf(named).name) };
  const word = textOf(allowed === undefined ? choice : objectOf(allowed).mode);
  return Object.hasOwn(CHOICES, word) ? { type: CHOICES[word as keyof typeof CHOICES] } : undefined;
}

function jsonOf(format: JsonObject): Conversation['json'] {
  if (format.type === 'json_object') return {};
  if (format.type !== 'json_schema') return undefined;
  const { schema, name, strict } = objectOf(format.json_schema);
  return isObject(schema) ? stated({ schema, name: textOf(name) || undefined, strict: flagOf(strict) }) : {};
}

/** Reads a body of POST /v1/chat/completions. Throws `RequestRejected` for unknown kinds of content. */
export function readChatRequest({ json }: Pick<ClientRequest, 'json'>): Conversation {
  const messages = arrayOf(json.messages).map((item, index): MessageAt => ({
    message: objectOf(item),
    at: `messages.${index}`,
  }));
  const system = messages
    .filter(isSystem)
    .flatMap(({ message: { content }, at }) => (content === '' ? [] : contentOf(content, at)));
  return stated<Conversation>({
    model: textOf(json.model),
    system: system.filter(isText),
    turns: messages.filter((entry) => !isSystem(entry)).map(turnOf),
    tools: toolsOf(json),
    toolChoice: toolChoiceOf(json.tool_choice),
    parallelTools: json.parallel_tool_calls === false ? false : undefined,
    sampling: stated({
      temperature: numberOf(json.temperature),
      topP: numberOf(json.top_p),
      topK: numberOf(json.top_k),
      seed: numberOf(json.seed),
      presencePenalty: numberOf(json.presence_penalty),
      frequencyPenalty: numberOf(json.frequency_penalty),
      choices: numberOf(json.n),
      stop: typeof json.stop === 'string' ? [json.stop] : arrayOf(json.stop).map(textOf),
    }),
    maxTokens: numberOf(json.max_completion_tokens) || numberOf(json.max_tokens) || undefined,
    thinking: isObject(json.thinking) ? json.thinking : undefined,
    effort: textOf(json.reasoning_effort) || undefined,
    json: jsonOf(objectOf(json.response_format)),
    stream: flagOf(json.stream),
    // Clients that also call Anthropic name the user as they do there. All else in the labels is for OpenAI's own servers.
    user: textOf(objectOf(json.metadata).user_id) || textOf(json.user) || undefined,
  });
}
