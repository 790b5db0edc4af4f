import type { ClientRequest, Json, JsonObject } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import type {
  Conversation,
  MediaPart,
  Part,
  Source,
  TextPart,
  Tool,
  ToolCallPart,
  ToolChoice,
  Turn,
} from '../conversation/conversation.js';
import { flagOf, isText, numberOf, sourceOf, stated } from '../conversation/conversation.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';
import { namesThought } from './items.js';

const refuse = (message: string, at: string): never => {
  throw new RequestRejected('invalid_responses_request', message, at);
};

/** Members that need state which only OpenAI's servers keep. */
const STATE = ['previous_response_id', 'conversation', 'prompt'] as const;

function refuseState(json: JsonObject): void {
  for (const name of STATE)
    if (json[name] !== undefined && json[name] !== null)
      refuse(`${name} is not supported by the channels of this model: nothing is kept here, send all of input`, name);
  for (const name of ['store', 'background'])
    if (json[name] === true)
      refuse(
        `${name} is not supported by the channels of this model: nothing is kept here, send ${name} as false`,
        name,
      );
}

const byId = (kind: string, at: string): never =>
  refuse(`${at}: ${kind} by file_id are not supported by the channels of this model: send them with the request`, at);

function imagePart(part: JsonObject, at: string): MediaPart {
  const url = textOf(part.image_url);
  return url === '' ? byId('images', at) : { type: 'image', source: sourceOf(url), at };
}

/** File data is a data URI or, from some clients, the plain base64 of a PDF. */
function fileSource(part: JsonObject, at: string): Source {
  const data = textOf(part.file_data);
  if (data.startsWith('data:')) return sourceOf(data);
  if (data !== '') return { mimeType: 'application/pdf', data };
  const url = textOf(part.file_url);
  return url === '' ? byId('files', at) : { url };
}

function filePart(part: JsonObject, at: string): MediaPart {
  const name = textOf(part.filename);
  return { type: 'file', source: fileSource(part, at), at, ...(name && { name }) };
}

function audioPart(part: JsonObject, at: string): MediaPart {
  const { data, format } = objectOf(part.input_audio);
  return { type: 'audio', source: { mimeType: `audio/${textOf(format) || 'wav'}`, data: textOf(data) }, at };
}

const textPart = (part: JsonObject): TextPart => ({ type: 'text', text: textOf(part.text) });

const partReaders: Readonly<Record<string, (part: JsonObject, at: string) => TextPart | MediaPart>> = {
  input_text: textPart,
  output_text: textPart,
  text: textPart,
  refusal: (part) => ({ type: 'text', text: textOf(part.refusal) }),
  input_image: imagePart,
  input_file: filePart,
  input_audio: audioPart,
};

function partOf(item: Json, at: string): TextPart | MediaPart {
  const part = objectOf(item);
  const type = textOf(part.type);
  const read = Object.hasOwn(partReaders, type) ? partReaders[type] : undefined;
  return read ? read(part, at) : refuse(`${at} of type ${type} is not supported by the channels of this model`, at);
}

/** `at` is the path of the content. */
const contentOf = (content: Json | undefined, at: string): (TextPart | MediaPart)[] =>
  typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : arrayOf(content).map((part, index) => partOf(part, `${at}.${index}`));

const callOf = (item: JsonObject, at: string): ToolCallPart => ({
  type: 'tool-call',
  id: textOf(item.call_id),
  name: textOf(item.name),
  arguments: textOf(item.arguments),
  at: `${at}.arguments`,
});

const thoughtOf = (item: JsonObject): Part => ({
  type: 'thinking',
  text: [...arrayOf(item.summary), ...arrayOf(item.content)].map((part) => textOf(objectOf(part).text)).join('\n'),
});

/** A picture that the model made. The item does not say of which type it is, which the first bytes do. */
const drawnPart = (item: JsonObject): MediaPart => ({
  type: 'image',
  source: { mimeType: 'image/png', data: textOf(item.result) },
});

function messageTurn(item: JsonObject, at: string): Turn {
  return { role: item.role === 'assistant' ? 'assistant' : 'user', parts: contentOf(item.content, `${at}.content`) };
}

function resultTurn(item: JsonObject, at: string): Turn {
  const content = contentOf(item.output, `${at}.output`);
  const result = { type: 'tool-result' as const, callId: textOf(item.call_id), name: '', content, at: `${at}.call_id` };
  return { role: 'user', parts: [result] };
}

const itemReaders: Readonly<Record<string, (item: JsonObject, at: string) => Turn>> = {
  message: messageTurn,
  function_call: (item, at) => ({ role: 'assistant', parts: [callOf(item, at)] }),
  reasoning: (item) => ({ role: 'assistant', parts: [thoughtOf(item)] }),
  image_generation_call: (item) => ({ role: 'assistant', parts: [drawnPart(item)] }),
  function_call_output: resultTurn,
};

interface Given {
  item: JsonObject;
  at: string;
}

const typeOf = (item: JsonObject): string => textOf(item.type) || 'message';

function turnOf({ item, at }: Given): Turn {
  const type = typeOf(item);
  const read = Object.hasOwn(itemReaders, type) ? itemReaders[type] : undefined;
  return read ? read(item, at) : refuse(`${at} of type ${type} is not supported by the channels of this model`, at);
}

const isResults = ({ parts }: Turn): boolean => parts.every(({ type }) => type === 'tool-result');
const saysText = ({ parts }: Turn): boolean => parts.some(({ type }) => type === 'text');

/** Items of this dialect that form a single turn in others: thoughts, texts and calls of one answer, or the results of parallel calls. */
const belongsTo = (last: Turn, next: Turn): boolean =>
  last.role === 'assistant' && next.role === 'assistant'
    ? !(saysText(last) && saysText(next))
    : last.role === next.role && isResults(last) && isResults(next);

function turnsOf(items: Given[]): Turn[] {
  const turns: Turn[] = [];
  for (const next of items.map(turnOf)) {
    const last = turns.at(-1);
    if (last && belongsTo(last, next)) last.parts.push(...next.parts);
    else turns.push(next);
  }
  return turns;
}

const isSystem = ({ item }: Given): boolean =>
  typeOf(item) === 'message' && (item.role === 'system' || item.role === 'developer');

function toolOf(item: Json): Tool {
  const { name, description, parameters, strict } = objectOf(item);
  return stated({
    name: textOf(name),
    description: description ?? undefined,
    parameters: isObject(parameters) ? parameters : undefined,
    strict: flagOf(strict),
  });
}

const CHOICES: Readonly<Record<string, ToolChoice['type']>> = { auto: 'auto', none: 'none', required: 'any' };

/** The tools that may be called, and whether a call is required. */
function toolsOf(json: JsonObject): Pick<Conversation, 'tools' | 'toolChoice'> {
  const tools = arrayOf(json.tools).map(toolOf);
  const choice = objectOf(json.tool_choice);
  if (choice.type === 'function') return { tools, toolChoice: { type: 'tool', name: textOf(choice.name) } };
  const isList = choice.type === 'allowed_tools';
  const allowed = new Set(arrayOf(choice.tools).map((item) => textOf(objectOf(item).name)));
  const type = CHOICES[textOf(isList ? choice.mode : json.tool_choice)];
  return {
    tools: isList ? tools.filter(({ name }) => allowed.has(name)) : tools,
    ...(type && { toolChoice: { type } }),
  };
}

function jsonOf({ type, schema, name, strict }: JsonObject): Conversation['json'] {
  if (type === 'json_object') return {};
  if (type !== 'json_schema') return undefined;
  return isObject(schema) ? stated({ schema, name: textOf(name) || undefined, strict: flagOf(strict) }) : {};
}

/**
 * Reads a body of POST /v1/responses. Throws `RequestRejected` for members that refer to state of OpenAI's servers, and for items and tools
 * that only these support. Wishes for additional output (`include`), a cache (`prompt_cache_key`) or labels (`metadata`) are dropped.
 */
export function readResponsesRequest({ json }: Pick<ClientRequest, 'json'>): Conversation {
  refuseState(json);
  const { input } = json;
  const given = typeof input === 'string' ? [{ role: 'user', content: input }] : arrayOf(input);
  const items = given.map((item, index): Given => ({ item: objectOf(item), at: `input.${index}` }));
  const systemParts = items
    .filter(isSystem)
    .flatMap(({ item: { content }, at }) => contentOf(content, `${at}.content`));
  const instructions = textOf(json.instructions);
  return stated<Conversation>({
    model: textOf(json.model),
    system: [...(instructions ? [{ type: 'text' as const, text: instructions }] : []), ...systemParts.filter(isText)],
    turns: turnsOf(items.filter((item) => !isSystem(item) && !namesThought(item.item))),
    ...toolsOf(json),
    parallelTools: json.parallel_tool_calls === false ? false : undefined,
    sampling: stated({ temperature: numberOf(json.temperature), topP: numberOf(json.top_p), stop: [] }),
    maxTokens: numberOf(json.max_output_tokens) || undefined,
    effort: textOf(objectOf(json.reasoning).effort) || undefined,
    json: jsonOf(objectOf(objectOf(json.text).format)),
    stream: flagOf(json.stream),
    user: textOf(json.safety_identifier) || textOf(json.user) || undefined,
  });
}
