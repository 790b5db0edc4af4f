import type { Json, JsonObject } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { callId, pairCalls } from '../conversation/call-ids.js';
import type { Conversation, Part, Tool, ToolCallPart, ToolResultPart, Turn } from '../conversation/conversation.js';
import { callsIn, isText, joined, refusePart, stated } from '../conversation/conversation.js';
import { arrayOf, objectOf, parseObject, textOf } from '../json/json.js';

const DEFAULT_MAX_TOKENS = 4000;

const refuse = (message: string): never => {
  throw new RequestRejected('invalid_text_request', message);
};

/** JSON Schema types → Python's type names, which Cohere expects. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ string: 'str', integer: 'int', number: 'float', boolean: 'bool', array: 'list', object: 'dict' },
};

/** Puts what the type name cannot express into the description. */
function definitionOf(schema: JsonObject, isRequired: boolean): JsonObject {
  const { type, description, ...rest } = schema;
  const hint = Object.keys(rest).length > 0 ? `JSON Schema: ${JSON.stringify(rest)}` : '';
  const [named] = Array.isArray(type) ? type : [type];
  return {
    type: TYPES[textOf(named)] ?? 'str',
    description: [textOf(description), hint].filter(Boolean).join(' '),
    required: isRequired,
  };
}

function toolOf({ name, description, parameters = {} }: Tool): JsonObject {
  const required = new Set(arrayOf(parameters.required));
  const definitions = Object.entries(objectOf(parameters.properties)).map(([key, schema]): [string, Json] => [
    key,
    definitionOf(objectOf(schema), required.has(key)),
  ]);
  return { name, description: textOf(description), parameter_definitions: Object.fromEntries(definitions) };
}

function callOf({ name, arguments: written }: ToolCallPart): JsonObject {
  const parameters = parseObject(written || '{}');
  return parameters ? { name, parameters } : refuse(`the arguments of the call of ${name} are no JSON object`);
}

const textIn = (parts: Part[]): string =>
  parts
    .filter(isText)
    .map(({ text }) => text)
    .filter(Boolean)
    .join('\n');

function checkWords(parts: Part[]): void {
  const media = parts.find(({ type }) => !['text', 'thinking', 'tool-call', 'tool-result'].includes(type));
  if (media) refusePart(media, `${media.type} content is not supported in cohere`);
}

/** A tool result with its call, as Cohere requires; a JSON object is sent as such, other results as text. */
function resultOf({ callId: id, name, content }: ToolResultPart, calls: Map<string, ToolCallPart>): JsonObject {
  checkWords(content);
  const text = textIn(content);
  const call = calls.get(id);
  return {
    call: call ? callOf(call) : { name, parameters: {} },
    outputs: [parseObject(text) ?? { result: text }],
  };
}

type CohereMessage =
  { role: 'USER' | 'CHATBOT'; message: string; tool_calls?: Json[] } | { role: 'TOOL'; tool_results: Json[] };

function sayingsOf({ role, parts }: Turn, calls: Map<string, ToolCallPart>): CohereMessage[] {
  if (role === 'assistant') {
    const own = callsIn(parts);
    for (const call of own) calls.set(call.id, call);
    checkWords(parts);
    const message = joined(parts, 'text');
    if (message === '' && own.length === 0) return [];
    return [{ role: 'CHATBOT', message, ...(own.length > 0 && { tool_calls: own.map(callOf) }) }];
  }
  const results = parts.filter((part): part is ToolResultPart => part.type === 'tool-result');
  checkWords(parts);
  const message = textIn(parts);
  return [
    ...(results.length > 0
      ? [{ role: 'TOOL' as const, tool_results: results.map((part) => resultOf(part, calls)) }]
      : []),
    ...(message !== '' || results.length === 0 ? [{ role: 'USER' as const, message }] : []),
  ];
}

/** Merges consecutive results into one step. */
function merged(sayings: CohereMessage[]): CohereMessage[] {
  const all: CohereMessage[] = [];
  for (const saying of sayings) {
    const last = all.at(-1);
    if (saying.role === 'TOOL' && last?.role === 'TOOL') last.tool_results.push(...saying.tool_results);
    else all.push(saying);
  }
  return all;
}

/** Splits the conversation into the chat history and the current message. */
function historyMembers({ system, turns }: Conversation): JsonObject {
  const calls = new Map<string, ToolCallPart>();
  const sayings = merged(pairCalls(turns, callId).flatMap((turn) => sayingsOf(turn, calls)));
  const last = sayings.pop();
  const preamble = textIn(system);
  const history: Json[] = [...(preamble ? [{ role: 'SYSTEM', message: preamble }] : []), ...sayings];
  const members = history.length > 0 ? { chat_history: history } : {};
  if (last?.role === 'TOOL') return { message: '', tool_results: last.tool_results, ...members };
  if (last?.role === 'USER' && last.message !== '') return { message: last.message, ...members };
  return refuse('the last message must be what the user says, or the result of a tool');
}

function toolMembers({ tools, toolChoice }: Conversation): JsonObject {
  if (tools.length === 0 || toolChoice?.type === 'none') return {};
  if (toolChoice && toolChoice.type !== 'auto') return refuse('tool_choice can only be auto or none in cohere');
  return { tools: tools.map(toolOf) };
}

/** Writes a body of POST /v1/chat. Throws `RequestRejected` for what it cannot express. */
export function writeCohereRequest(conversation: Conversation, model: string): JsonObject {
  const { sampling, maxTokens = DEFAULT_MAX_TOKENS, json, stream } = conversation;
  return stated<JsonObject>({
    model,
    ...historyMembers(conversation),
    ...toolMembers(conversation),
    stream: stream === true,
    max_tokens: maxTokens,
    temperature: sampling.temperature,
    p: sampling.topP === undefined ? undefined : Math.min(0.99, Math.max(0.01, sampling.topP)),
    k: sampling.topK,
    seed: sampling.seed,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    stop_sequences: sampling.stop.length > 0 ? sampling.stop : undefined,
    response_format: json && stated({ type: 'json_object', schema: json.schema }),
  });
}
