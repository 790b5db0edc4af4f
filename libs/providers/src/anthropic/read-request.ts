import type { ClientRequest, Json, JsonObject } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import type { Conversation, MediaPart, Part, Source, TextPart, Tool, Turn } from '../conversation/conversation.js';
import { isText, numberOf, stated } from '../conversation/conversation.js';
import { arrayOf, isObject, objectOf, textOf } from '../json.js';

const cacheOf = ({ cache_control: cacheControl }: JsonObject): { cacheControl?: Json } =>
  cacheControl === undefined ? {} : { cacheControl };

function sourceOf(source: JsonObject): Source {
  if (source.type === 'file')
    throw new RequestRejected('invalid_claude_request', 'files by id are not supported: send them with the request');
  if (source.type === 'url') return { url: textOf(source.url) };
  return { mimeType: textOf(source.media_type), data: textOf(source.data) };
}

const textPart = (block: JsonObject): TextPart => ({ type: 'text', text: textOf(block.text), ...cacheOf(block) });

function documentParts(block: JsonObject): (TextPart | MediaPart)[] {
  const source = objectOf(block.source);
  if (source.type === 'text') return [{ type: 'text', text: textOf(source.data) }];
  if (source.type === 'content') return contentOf(source.content);
  const name = textOf(block.title);
  return [{ type: 'file', source: sourceOf(source), ...(name && { name }) }];
}

/** Blocks a user's message may hold; unknown ones have no counterpart and are left out. */
const readers: Readonly<Record<string, (block: JsonObject) => Part[]>> = {
  text: (block) => [textPart(block)],
  image: (block) => [{ type: 'image', source: sourceOf(objectOf(block.source)) }],
  document: documentParts,
  thinking: (block) => [{ type: 'thinking', text: textOf(block.thinking) }],
  tool_use: ({ id, name, input }) => [
    { type: 'tool-call', id: textOf(id), name: textOf(name), arguments: JSON.stringify(input ?? {}) },
  ],
  tool_result: (block) => [
    { type: 'tool-result', callId: textOf(block.tool_use_id), name: '', content: contentOf(block.content) },
  ],
};

function partsOf(content: Json | undefined): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return arrayOf(content).flatMap((item) => {
    const block = objectOf(item);
    const type = textOf(block.type);
    return Object.hasOwn(readers, type) ? (readers[type]?.(block) ?? []) : [];
  });
}

const contentOf = (content: Json | undefined): (TextPart | MediaPart)[] =>
  partsOf(content).filter(
    (part): part is TextPart | MediaPart =>
      part.type !== 'thinking' && part.type !== 'tool-call' && part.type !== 'tool-result',
  );

function turnOf(item: Json): Turn {
  const { role, content } = objectOf(item);
  return { role: role === 'assistant' ? 'assistant' : 'user', parts: partsOf(content) };
}

function toolsOf(json: JsonObject): Tool[] {
  return arrayOf(json.tools).flatMap((item) => {
    const tool = objectOf(item);
    // Anthropic's own server tools carry a type and no schema; nobody else can run them.
    if (!isObject(tool.input_schema)) return [];
    const { name, description, input_schema: parameters } = tool;
    return [stated({ name: textOf(name), description, parameters, ...cacheOf(tool) })];
  });
}

function toolChoiceOf({ type, name }: JsonObject): Conversation['toolChoice'] {
  if (type === 'tool') return { type, name: textOf(name) };
  return type === 'auto' || type === 'none' || type === 'any' ? { type } : undefined;
}

/** A body of POST /v1/messages. */
export function readMessagesRequest({ json }: Pick<ClientRequest, 'json'>): Conversation {
  const choice = objectOf(json.tool_choice);
  return stated<Conversation>({
    model: textOf(json.model),
    system: partsOf(json.system).filter(isText),
    turns: arrayOf(json.messages).map(turnOf),
    tools: toolsOf(json),
    toolChoice: toolChoiceOf(choice),
    parallelTools: choice.disable_parallel_tool_use === true ? false : undefined,
    sampling: stated({
      temperature: numberOf(json.temperature),
      topP: numberOf(json.top_p),
      topK: numberOf(json.top_k),
      stop: arrayOf(json.stop_sequences).map(textOf),
    }),
    maxTokens: numberOf(json.max_tokens),
    thinking: isObject(json.thinking) ? json.thinking : undefined,
    stream: typeof json.stream === 'boolean' ? json.stream : undefined,
    user: textOf(objectOf(json.metadata).user_id) || undefined,
    metadata: json.metadata,
    serviceTier: json.service_tier,
  });
}
