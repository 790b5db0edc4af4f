import type { ClientRequest, Dialect, JsonObject } from '../../src/adapter.js';
import { arrayOf, objectOf, textOf } from '../../src/json/json.js';
import { clientRequest, dataOf } from '../factories.js';

// Requests of each client dialect, and readers of their replies.

export const SYSTEM = 'Be kind to everybody';
export const PROMPT = 'Greet the universe';
export const RESULT = 'a blue sky';
/** Contents of the test picture, and the same as base64. */
const PICTURE = 'a picture of Ulm';
const INLINED = Buffer.from(PICTURE).toString('base64');
export const PICTURE_FORMS: readonly string[] = [INLINED, PICTURE];

export const cases = ['whole', 'stream', 'tools', 'image'] as const;
export type Case = (typeof cases)[number];

export interface Read {
  text: string;
  calls: { name: string; args: unknown }[];
  /** The dialect's finish reason. */
  finish: string;
  /** Tokens of prompt and answer. */
  usage: [unknown, unknown];
}

export interface Client {
  dialect: Dialect;
  ask(what: Case, model: string): ClientRequest;
  /** Reads a complete reply. */
  read(body: Buffer): Read;
  /** Reads all frames of a stream. */
  readStream(frames: string): Read;
  /** Finish reasons of an ordinary answer and of one with a call. */
  ends: { text: string; call: string };
}

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const parsed = (text: unknown): unknown => JSON.parse(textOf(text) || '{}') as unknown;
const jsonOf = (body: Buffer): JsonObject => JSON.parse(body.toString('utf8')) as JsonObject;
const joined = (texts: unknown[]): string => texts.map(textOf).join('');
const listAt = (json: JsonObject, name: string): JsonObject[] => arrayOf(json[name]).map(objectOf);

function chatMessages(what: Case): JsonObject[] {
  const system = { role: 'system', content: SYSTEM };
  const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Ulm"}' } };
  if (what === 'tools')
    return [
      system,
      { role: 'user', content: PROMPT },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: RESULT },
    ];
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${INLINED}` } };
  return [system, { role: 'user', content: what === 'image' ? [{ type: 'text', text: PROMPT }, image] : PROMPT }];
}

const chatCalls = (message: JsonObject): Read['calls'] =>
  listAt(message, 'tool_calls').map((call) => {
    const fn = objectOf(call.function);
    return { name: textOf(fn.name), args: parsed(fn.arguments) };
  });

const chat: Client = {
  dialect: 'openai',
  ask: (what, model) =>
    clientRequest({
      ...{ model, messages: chatMessages(what), max_tokens: 50 },
      ...(what === 'stream' && { stream: true, stream_options: { include_usage: true } }),
      ...(what === 'tools' && { tools: [{ type: 'function', function: { name: 'weather', parameters: schema } }] }),
    }),
  read(body) {
    const json = jsonOf(body);
    const choice = objectOf(arrayOf(json.choices)[0]);
    const message = objectOf(choice.message);
    const { prompt_tokens: prompt, completion_tokens: completion } = objectOf(json.usage);
    return {
      ...{ text: textOf(message.content), calls: chatCalls(message), finish: textOf(choice.finish_reason) },
      usage: [prompt, completion],
    };
  },
  readStream(frames) {
    if (!frames.endsWith('data: [DONE]\n\n')) throw new Error('the stream has no end');
    const chunks = dataOf(frames);
    const choices = chunks.flatMap((chunk) => listAt(chunk, 'choices'));
    const deltas = choices.map(({ delta }) => objectOf(delta));
    const pieces = deltas.flatMap((delta) => listAt(delta, 'tool_calls')).map(({ function: fn }) => objectOf(fn));
    const name = joined(pieces.map((piece) => piece.name));
    const usage = objectOf(chunks.map((chunk) => chunk.usage).findLast(Boolean));
    return {
      text: joined(deltas.map(({ content }) => content)),
      calls: name ? [{ name, args: parsed(joined(pieces.map((piece) => piece.arguments))) }] : [],
      finish: joined(choices.map(({ finish_reason: reason }) => reason)),
      usage: [usage.prompt_tokens, usage.completion_tokens],
    };
  },
  ends: { text: 'stop', call: 'tool_calls' },
};

function claudeMessages(what: Case): JsonObject[] {
  if (what === 'tools')
    return [
      { role: 'user', content: PROMPT },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Ulm' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: RESULT }] },
    ];
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: INLINED } };
  return [{ role: 'user', content: what === 'image' ? [{ type: 'text', text: PROMPT }, image] : PROMPT }];
}

const messages: Client = {
  dialect: 'anthropic',
  ask: (what, model) =>
    clientRequest(
      {
        ...{ model, system: SYSTEM, messages: claudeMessages(what), max_tokens: 50 },
        ...(what === 'stream' && { stream: true }),
        ...(what === 'tools' && { tools: [{ name: 'weather', input_schema: schema }] }),
      },
      { dialect: 'anthropic' },
    ),
  read(body) {
    const json = jsonOf(body);
    const blocks = listAt(json, 'content');
    const { input_tokens: prompt, output_tokens: completion } = objectOf(json.usage);
    return {
      text: joined(blocks.map(({ text }) => text)),
      calls: blocks
        .filter(({ type }) => type === 'tool_use')
        .map(({ name, input }) => ({ name: textOf(name), args: input })),
      ...{ finish: textOf(json.stop_reason), usage: [prompt, completion] },
    };
  },
  readStream(frames) {
    const events = dataOf(frames);
    if (events.at(-1)?.type !== 'message_stop') throw new Error('the stream has no end');
    const deltas = events.map(({ delta }) => objectOf(delta));
    const call = events.map((event) => objectOf(event.content_block)).find(({ type }) => type === 'tool_use');
    const opening = objectOf(objectOf(events[0]?.message).usage);
    const closing = objectOf(events.map(({ usage }) => usage).findLast(Boolean));
    return {
      text: joined(deltas.map(({ text }) => text)),
      calls: call
        ? [{ name: textOf(call.name), args: parsed(joined(deltas.map(({ partial_json: piece }) => piece))) }]
        : [],
      finish: joined(deltas.map(({ stop_reason: reason }) => reason)),
      usage: [closing.input_tokens ?? opening.input_tokens, closing.output_tokens],
    };
  },
  ends: { text: 'end_turn', call: 'tool_use' },
};

function googleContents(what: Case): JsonObject[] {
  if (what === 'tools')
    return [
      { role: 'user', parts: [{ text: PROMPT }] },
      { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Ulm' } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { result: RESULT } } }] },
    ];
  const image = { inlineData: { mimeType: 'image/png', data: INLINED } };
  return [{ role: 'user', parts: [{ text: PROMPT }, ...(what === 'image' ? [image] : [])] }];
}

function readGoogle(replies: JsonObject[]): Read {
  const found = replies.flatMap((reply) => listAt(reply, 'candidates'));
  const parts = found.flatMap(({ content }) => listAt(objectOf(content), 'parts'));
  const usage = objectOf(replies.map(({ usageMetadata }) => usageMetadata).findLast(Boolean));
  return {
    text: joined(parts.map(({ text }) => text)),
    calls: parts
      .filter((part) => part.functionCall !== undefined)
      .map((part) => objectOf(part.functionCall))
      .map(({ name, args }) => ({ name: textOf(name), args })),
    finish: joined(found.map(({ finishReason }) => finishReason)),
    usage: [usage.promptTokenCount, usage.candidatesTokenCount],
  };
}

const gemini: Client = {
  dialect: 'gemini',
  ask: (what) =>
    clientRequest(
      {
        systemInstruction: { parts: [{ text: SYSTEM }] },
        ...{ contents: googleContents(what), generationConfig: { maxOutputTokens: 50 } },
        ...(what === 'tools' && {
          tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: schema }] }],
        }),
      },
      { dialect: 'gemini', isStream: what === 'stream' },
    ),
  read: (body) => readGoogle([jsonOf(body)]),
  readStream: (frames) =>
    readGoogle(
      frames
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data: '))
        .map((line) => JSON.parse(line.slice('data: '.length)) as JsonObject),
    ),
  ends: { text: 'STOP', call: 'STOP' },
};

function responseInput(what: Case): JsonObject[] {
  if (what === 'tools')
    return [
      { role: 'user', content: PROMPT },
      { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Ulm"}' },
      { type: 'function_call_output', call_id: 'c1', output: RESULT },
    ];
  const image = { type: 'input_image', image_url: `data:image/png;base64,${INLINED}` };
  return [{ role: 'user', content: [{ type: 'input_text', text: PROMPT }, ...(what === 'image' ? [image] : [])] }];
}

function readResponse(response: JsonObject): Read {
  const items = listAt(response, 'output');
  const { input_tokens: prompt, output_tokens: completion } = objectOf(response.usage);
  return {
    text: joined(items.flatMap((item) => listAt(item, 'content')).map(({ text }) => text)),
    calls: items
      .filter(({ type }) => type === 'function_call')
      .map((item) => ({ name: textOf(item.name), args: parsed(item.arguments) })),
    ...{ finish: textOf(response.status), usage: [prompt, completion] },
  };
}

const responses: Client = {
  dialect: 'responses',
  ask: (what, model) =>
    clientRequest(
      {
        ...{ model, instructions: SYSTEM, input: responseInput(what), max_output_tokens: 50 },
        ...(what === 'stream' && { stream: true }),
        ...(what === 'tools' && { tools: [{ type: 'function', name: 'weather', parameters: schema }] }),
      },
      { dialect: 'responses' },
    ),
  read: (body) => readResponse(jsonOf(body)),
  readStream(frames) {
    const last = dataOf(frames).at(-1);
    if (last?.type !== 'response.completed') throw new Error('the stream has no end');
    return readResponse(objectOf(last.response));
  },
  ends: { text: 'completed', call: 'completed' },
};

/** Clients by the capability that serves them. */
export const clients = { chat, messages, gemini, responses } satisfies Record<string, Client>;
