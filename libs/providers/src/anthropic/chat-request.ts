import type { Json, JsonObject } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { arrayOf, isObject, objectOf, parseObject, textOf } from '../json.js';

/** Anthropic refuses empty text. */
const PLACEHOLDER = '...';

const textBlock = (text: string, part: JsonObject = {}): JsonObject => ({
  type: 'text',
  text: text || PLACEHOLDER,
  ...(part.cache_control !== undefined && { cache_control: part.cache_control }),
});

const DATA_URI = /^data:([^;,]+);base64,/;

/** A data URI is inlined, an address is fetched by the upstream itself. */
function sourceOf(url: string): JsonObject {
  const match = DATA_URI.exec(url);
  if (match) return { type: 'base64', media_type: match[1], data: url.slice(match[0].length) };
  if (/^https?:\/\//.test(url)) return { type: 'url', url };
  throw new RequestRejected('invalid_text_request', 'image_url must be an http(s) address or a base64 data URI');
}

const imageBlock = (part: JsonObject): JsonObject => {
  const url = typeof part.image_url === 'string' ? part.image_url : textOf(objectOf(part.image_url).url);
  return {
    type: 'image',
    source: sourceOf(url),
    ...(part.cache_control !== undefined && { cache_control: part.cache_control }),
  };
};

const fileBlock = (part: JsonObject): JsonObject => {
  const file = objectOf(part.file);
  const title = textOf(file.filename);
  return { type: 'document', source: sourceOf(textOf(file.file_data)), ...(title && { title }) };
};

const blocks: Readonly<Record<string, (part: JsonObject) => JsonObject>> = {
  text: (part) => textBlock(textOf(part.text), part),
  image_url: imageBlock,
  file: fileBlock,
};

function contentBlocks(content: Json | undefined): JsonObject[] {
  if (typeof content === 'string') return [textBlock(content)];
  return arrayOf(content).map((item) => {
    const part = objectOf(item);
    const convert = blocks[textOf(part.type)];
    if (!convert)
      throw new RequestRejected('invalid_text_request', `content of type ${textOf(part.type)} is not supported`);
    return convert(part);
  });
}

const toolUse = (item: Json): JsonObject => {
  const call = objectOf(item);
  const fn = objectOf(call.function);
  // A call with unreadable arguments stays, with none: its result refers to it.
  return { type: 'tool_use', id: call.id, name: fn.name, input: parseObject(textOf(fn.arguments)) ?? {} };
};

function assistantBlocks(message: JsonObject): JsonObject[] {
  const calls = arrayOf(message.tool_calls).map(toolUse);
  const hasContent = textOf(message.content) !== '' || arrayOf(message.content).length > 0;
  const said = hasContent || calls.length === 0 ? contentBlocks(message.content ?? '') : [];
  return [...said, ...calls];
}

const toolResult = (message: JsonObject): JsonObject => ({
  type: 'tool_result',
  tool_use_id: message.tool_call_id,
  content: typeof message.content === 'string' ? message.content : contentBlocks(message.content),
});

interface Turn {
  role: 'user' | 'assistant';
  content: JsonObject[];
}

function turnOf(message: JsonObject): Turn {
  if (message.role === 'assistant') return { role: 'assistant', content: assistantBlocks(message) };
  if (message.role === 'tool') return { role: 'user', content: [toolResult(message)] };
  const content = contentBlocks(message.content ?? '');
  return { role: 'user', content: content.length > 0 ? content : [textBlock('')] };
}

const isSystem = (message: JsonObject): boolean => message.role === 'system' || message.role === 'developer';

/** Neighbours of the same role become one turn, so that all results of parallel calls stand together. */
function turnsOf(messages: JsonObject[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const turn = turnOf(message);
    const last = turns.at(-1);
    if (last?.role === turn.role) last.content.push(...turn.content);
    else turns.push(turn);
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', content: [textBlock('')] });
  return turns;
}

/** A turn of one plain text is written as a string, as most clients of Anthropic do. */
const compact = ({ role, content }: Turn): JsonObject => {
  const [only] = content;
  const isPlain = content.length === 1 && only?.type === 'text' && only.cache_control === undefined;
  return { role, content: isPlain ? only.text : content };
};

function systemOf(messages: JsonObject[]): Json | undefined {
  const parts = messages
    .flatMap(({ content }) => (content === '' ? [] : contentBlocks(content ?? '')))
    .filter(({ type }) => type === 'text');
  if (parts.length === 0) return undefined;
  return parts.some((part) => part.cache_control !== undefined)
    ? parts
    : parts.map((part) => textOf(part.text)).join('\n');
}

const toolOf = (item: Json): JsonObject[] => {
  const tool = objectOf(item);
  const fn = objectOf(tool.function);
  if (!textOf(fn.name)) return [];
  const schema = isObject(fn.parameters) ? { type: 'object', ...fn.parameters } : { type: 'object', properties: {} };
  return [
    {
      name: fn.name,
      ...(fn.description !== undefined && { description: fn.description }),
      input_schema: schema,
      ...(tool.cache_control !== undefined && { cache_control: tool.cache_control }),
    },
  ];
};

function toolChoiceOf(json: JsonObject): JsonObject | undefined {
  const named = objectOf(objectOf(json.tool_choice).function).name;
  const types: Readonly<Record<string, string>> = { auto: 'auto', none: 'none', required: 'any' };
  const type = types[textOf(json.tool_choice)];
  const choice = named === undefined ? type && { type } : { type: 'tool', name: named };
  if (json.parallel_tool_calls !== false) return choice || undefined;
  return { ...(choice || { type: 'auto' }), disable_parallel_tool_use: true };
}

/** Anthropic's temperature ends at 1 where OpenAI's ends at 2. */
const temperatureOf = (value: Json | undefined): Json | undefined =>
  typeof value === 'number' ? Math.min(value, 1) : value;

const COPIED = ['top_p', 'top_k', 'stream', 'thinking', 'metadata'];

/** Members with one value each; undefined ones vanish when the body is written. */
function scalars(json: JsonObject): JsonObject {
  const stop = typeof json.stop === 'string' ? [json.stop] : arrayOf(json.stop);
  const copied = Object.fromEntries(COPIED.map((name) => [name, json[name]]));
  return {
    model: json.model,
    max_tokens: json.max_completion_tokens || json.max_tokens || undefined,
    ...copied,
    metadata: json.metadata ?? (typeof json.user === 'string' ? { user_id: json.user } : undefined),
    temperature: temperatureOf(json.temperature) ?? undefined,
    stop_sequences: stop.length > 0 ? stop : undefined,
  };
}

/** A chat request in Anthropic's words, still under the requested model name. */
export function toAnthropicRequest(json: JsonObject): JsonObject {
  const messages = arrayOf(json.messages).map(objectOf);
  const tools = arrayOf(json.tools).flatMap(toolOf);
  return {
    ...scalars(json),
    system: systemOf(messages.filter(isSystem)),
    messages: turnsOf(messages.filter((message) => !isSystem(message))).map(compact),
    ...(tools.length > 0 && { tools, tool_choice: toolChoiceOf(json) }),
  };
}
