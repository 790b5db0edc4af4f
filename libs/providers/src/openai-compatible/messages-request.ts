import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, isObject, objectOf, textOf } from '../json.js';

/** Text of a content that is a string or a list of blocks. */
export const blocksText = (content: unknown, separator = '\n'): string =>
  typeof content === 'string'
    ? content
    : arrayOf(content)
        .map((block) => textOf(objectOf(block).text))
        .filter(Boolean)
        .join(separator);

function imagePart(block: JsonObject): JsonObject {
  const source = objectOf(block.source);
  const url =
    source.type === 'url' ? textOf(source.url) : `data:${textOf(source.media_type)};base64,${textOf(source.data)}`;
  return { type: 'image_url', image_url: { url } };
}

function documentPart(block: JsonObject): JsonObject {
  const source = objectOf(block.source);
  if (source.type === 'text') return { type: 'text', text: textOf(source.data) };
  const data =
    source.type === 'url' ? textOf(source.url) : `data:${textOf(source.media_type)};base64,${textOf(source.data)}`;
  return { type: 'file', file: { filename: textOf(block.title) || 'document.pdf', file_data: data } };
}

/** Blocks a user's message may hold; thinking and unknown ones have no counterpart and are left out. */
const contentParts: Readonly<Record<string, (block: JsonObject) => JsonObject>> = {
  text: ({ text, cache_control: cache }) => ({
    type: 'text',
    text,
    ...(cache !== undefined && { cache_control: cache }),
  }),
  image: imagePart,
  document: documentPart,
};

const partsOf = (blocks: Json[]): JsonObject[] =>
  blocks.flatMap((item) => {
    const block = objectOf(item);
    const convert = contentParts[textOf(block.type)];
    return convert ? [convert(block)] : [];
  });

/** A single text needs no list: more servers understand a plain string. */
const contentOf = (parts: JsonObject[]): Json =>
  parts.every((part) => part.type === 'text' && part.cache_control === undefined)
    ? parts.map((part) => textOf(part.text)).join('\n')
    : parts;

/** A tool's answer is a message of its own; what a tool message cannot hold (images) follows as the user's. */
function toolMessages(block: JsonObject): { message: JsonObject; rest: JsonObject[] } {
  const parts = typeof block.content === 'string' ? [] : partsOf(arrayOf(block.content));
  const rest = parts.filter((part) => part.type !== 'text');
  const text = blocksText(block.content);
  return { message: { role: 'tool', tool_call_id: textOf(block.tool_use_id), content: text }, rest };
}

function userMessages(blocks: Json[]): JsonObject[] {
  const results = blocks
    .map(objectOf)
    .filter((block) => block.type === 'tool_result')
    .map(toolMessages);
  const parts = [...results.flatMap(({ rest }) => rest), ...partsOf(blocks)];
  const messages = results.map(({ message }) => message);
  return parts.length > 0 ? [...messages, { role: 'user', content: contentOf(parts) }] : messages;
}

function assistantMessage(blocks: Json[]): JsonObject {
  const text = blocksText(blocks, '');
  const calls = blocks
    .map(objectOf)
    .filter((block) => block.type === 'tool_use')
    .map(({ id, name, input }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(input ?? {}) },
    }));
  if (calls.length === 0) return { role: 'assistant', content: text };
  return { role: 'assistant', content: text || null, tool_calls: calls };
}

function messagesOf(item: Json): JsonObject[] {
  const { role, content } = objectOf(item);
  if (!Array.isArray(content)) return [{ role: textOf(role) || 'user', content: content ?? '' }];
  return role === 'assistant' ? [assistantMessage(content)] : userMessages(content);
}

const functionOf = (item: Json): JsonObject[] => {
  const tool = objectOf(item);
  // Anthropic's own server tools carry a type and no schema; nobody else can run them.
  if (!isObject(tool.input_schema)) return [];
  const { name, description, input_schema: parameters } = tool;
  return [{ type: 'function', function: { name, ...(description !== undefined && { description }), parameters } }];
};

function toolChoiceOf(choice: JsonObject): Json | undefined {
  if (choice.type === 'any') return 'required';
  if (choice.type === 'tool') return { type: 'function', function: { name: textOf(choice.name) } };
  return choice.type === 'auto' || choice.type === 'none' ? choice.type : undefined;
}

const COPIED = ['model', 'max_tokens', 'temperature', 'top_p', 'stream', 'service_tier'];

/** An Anthropic request in OpenAI's words. `top_k`, `thinking` and `metadata` beyond the user have none. */
export function toOpenAiRequest(json: JsonObject): JsonObject {
  const system = blocksText(json.system);
  const stop = arrayOf(json.stop_sequences);
  const tools = arrayOf(json.tools).flatMap(functionOf);
  const choice = objectOf(json.tool_choice);
  const user = objectOf(json.metadata).user_id;
  const copied = Object.fromEntries(
    COPIED.filter((name) => json[name] !== undefined).map((name) => [name, json[name]]),
  );
  return {
    ...copied,
    messages: [...(system ? [{ role: 'system', content: system }] : []), ...arrayOf(json.messages).flatMap(messagesOf)],
    ...(stop.length > 0 && { stop: stop.length === 1 ? stop[0] : stop }),
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && toolChoiceOf(choice) !== undefined && { tool_choice: toolChoiceOf(choice) }),
    ...(tools.length > 0 && choice.disable_parallel_tool_use === true && { parallel_tool_calls: false }),
    ...(typeof user === 'string' && { user }),
  };
}
