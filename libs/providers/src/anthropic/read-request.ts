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

/** What a model was told or kept to itself before, of a tool that its upstream ran or as a cipher: nobody else can read it. */
const UNREADABLE = /^(?:redacted_thinking|server_tool_use|mcp_tool_use|mcp_tool_result|\w+_tool_result)$/;

/** Blocks a message may hold. */
const readers: Readonly<Record<string, (block: JsonObject) => Part[]>> = {
  text: (block) => [textPart(block)],
  image: (block) => [{ type: 'image', source: sourceOf(objectOf(block.source)) }],
  document: documentParts,
  search_result: (block) => contentOf(block.content),
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
    if (Object.hasOwn(readers, type)) return readers[type]?.(block) ?? [];
    if (UNREADABLE.test(type)) return [];
    throw new RequestRejected(
      'invalid_claude_request',
      `content of type ${type} is not supported by the channels of this model`,
    );
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
    const type = textOf(tool.type) || 'custom';
    // Anthropic's own tools carry a type and no schema; its models alone know what they take.
    if (type !== 'custom')
      throw new RequestRejected(
        'invalid_claude_request',
        `tools of type ${type} are not supported by the channels of this model`,
      );
    const { name, description } = tool;
    const parameters = objectOf(tool.input_schema);
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
