import type { ClientRequest, Json, JsonObject } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import type { Conversation, MediaPart, Part, Source, TextPart, Tool, Turn } from '../conversation/conversation.js';
import { flagOf, isText, numberOf, stated } from '../conversation/conversation.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';

const cacheOf = ({ cache_control: cacheControl }: JsonObject): { cacheControl?: Json } =>
  cacheControl === undefined ? {} : { cacheControl };

function sourceOf(source: JsonObject, at: string): Source {
  if (source.type === 'file') {
    const text = `${at}: files by id are not supported: send them with the request`;
    throw new RequestRejected('invalid_claude_request', text, at);
  }
  if (source.type === 'url') return { url: textOf(source.url) };
  return { mimeType: textOf(source.media_type), data: textOf(source.data) };
}

const textPart = (block: JsonObject): TextPart => ({ type: 'text', text: textOf(block.text), ...cacheOf(block) });

function documentParts(block: JsonObject, at: string): (TextPart | MediaPart)[] {
  const source = objectOf(block.source);
  if (source.type === 'text') return [{ type: 'text', text: textOf(source.data) }];
  if (source.type === 'content') return contentOf(source.content, `${at}.source`);
  const name = textOf(block.title);
  return [{ type: 'file', source: sourceOf(source, at), at, ...(name && { name }) }];
}

/** Parts of a search result that a client sends back: title and source as a heading, then the content. */
function foundParts(block: JsonObject, at: string): (TextPart | MediaPart)[] {
  const heading = [textOf(block.title), textOf(block.source)].filter(Boolean).join('\n');
  return [...(heading ? [{ type: 'text' as const, text: heading }] : []), ...contentOf(block.content, at)];
}

/** Readers by type of content block. `at` is the block's path. */
const readers: Readonly<Record<string, (block: JsonObject, at: string) => Part[]>> = {
  text: (block) => [textPart(block)],
  image: (block, at) => [{ type: 'image', source: sourceOf(objectOf(block.source), at), at }],
  document: documentParts,
  search_result: foundParts,
  thinking: (block) => [{ type: 'thinking', text: textOf(block.thinking) }],
  tool_use: ({ id, name, input }) => [
    { type: 'tool-call', id: textOf(id), name: textOf(name), arguments: JSON.stringify(input ?? {}) },
  ],
  tool_result: (block, at) => [
    {
      type: 'tool-result',
      callId: textOf(block.tool_use_id),
      name: '',
      content: contentOf(block.content, at),
      at: `${at}.tool_use_id`,
    },
  ],
};

/** `at` is the path of the object that holds the content. */
function partsOf(content: Json | undefined, at: string): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return arrayOf(content).flatMap((item, index) => {
    const block = objectOf(item);
    return readers[textOf(block.type)]?.(block, `${at}.content.${index}`) ?? [];
  });
}

const contentOf = (content: Json | undefined, at: string): (TextPart | MediaPart)[] =>
  partsOf(content, at).filter(
    (part): part is TextPart | MediaPart =>
      part.type !== 'thinking' && part.type !== 'tool-call' && part.type !== 'tool-result',
  );

/** The turns, and the instructions that stand between them, which not all upstreams allow there. */
function messagesOf(json: JsonObject): { system: TextPart[]; turns: Turn[] } {
  const messages = arrayOf(json.messages).map((item, index) => {
    const { role, content } = objectOf(item);
    return { role, parts: partsOf(content, `messages.${index}`) };
  });
  return {
    system: messages.flatMap(({ role, parts }) => (role === 'system' ? parts.filter(isText) : [])),
    turns: messages
      .filter(({ role }) => role !== 'system')
      .map(({ role, parts }) => ({ role: role === 'assistant' ? 'assistant' : 'user', parts })),
  };
}

function toolsOf(json: JsonObject): Tool[] {
  return arrayOf(json.tools).flatMap((item) => {
    const tool = objectOf(item);
    const { name, description, strict } = tool;
    const parameters = objectOf(tool.input_schema);
    return [stated({ name: textOf(name), description, parameters, strict: flagOf(strict), ...cacheOf(tool) })];
  });
}

function toolChoiceOf({ type, name }: JsonObject): Conversation['toolChoice'] {
  if (type === 'tool') return { type, name: textOf(name) };
  return type === 'auto' || type === 'none' || type === 'any' ? { type } : undefined;
}

function jsonOf(json: JsonObject): Conversation['json'] {
  const { schema } = objectOf(objectOf(json.output_config).format ?? json.output_format);
  return isObject(schema) ? { schema } : undefined;
}

const TIERS: ReadonlyMap<Json | undefined, Conversation['serviceTier']> = new Map([
  ['auto', 'auto'],
  ['standard_only', 'default'],
]);

/** Reads a body of POST /v1/messages. Throws `RequestRejected` for files referenced by id. */
export function readMessagesRequest({ json }: Pick<ClientRequest, 'json'>): Conversation {
  const choice = objectOf(json.tool_choice);
  const { system, turns } = messagesOf(json);
  return stated<Conversation>({
    model: textOf(json.model),
    system: [...partsOf(json.system, 'system').filter(isText), ...system],
    turns,
    tools: toolsOf(json),
    toolChoice: toolChoiceOf(choice),
    parallelTools: choice.disable_parallel_tool_use === true ? false : undefined,
    sampling: stated({
      temperature: numberOf(json.temperature),
      topP: numberOf(json.top_p),
      topK: numberOf(json.top_k),
      stop: arrayOf(json.stop_sequences).map(textOf),
    }),
    maxTokens: numberOf(json.max_tokens) || undefined,
    thinking: isObject(json.thinking) ? json.thinking : undefined,
    json: jsonOf(json),
    stream: flagOf(json.stream),
    user: textOf(objectOf(json.metadata).user_id) || undefined,
    serviceTier: TIERS.get(json.service_tier),
  });
}
