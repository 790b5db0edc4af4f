import { awsChunk } from '@tollgate/testing';
import type { ChannelTarget, JsonObject } from '../../src/adapter.js';

// Minimal recorded replies of each upstream dialect: one text, one tool call, one error. A channel type that serves chat needs a row in
// `recordingOf`; one with its own dialect needs its own recording.

export const TEXT = 'Hello dear Ünïverse.';
export const CALL = { name: 'weather', args: { city: 'Ulm' } } as const;
export const SAID = 'no such thing here';

export interface Said {
  /** An answer with `TEXT`. */
  text: Buffer;
  /** An answer with `CALL`; absent for an upstream that cannot call a client's tools. */
  call?: Buffer;
}

export interface Recording {
  /** Further settings that a channel of this type needs. */
  target?: Partial<ChannelTarget>;
  whole: Said;
  stream: Said;
  error: { status: number; body: string; headers?: Record<string, string> };
  /** What the upstream cannot express: requests with it are refused with 400. */
  lacks?: readonly ('tools' | 'image')[];
  /** Replies to POST /v1/responses, for upstreams that serve it themselves. */
  responses?: { whole: Said; stream: Said };
}

const ARGUMENTS = JSON.stringify(CALL.args);
const bytes = (json: object): Buffer => Buffer.from(JSON.stringify(json));
const sse = (...events: (object | string)[]): Buffer =>
  Buffer.from(events.map((data) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`).join(''));
const typed = (...events: ({ type: string } & JsonObject)[]): string[] =>
  events.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
const [head, tail] = [TEXT.slice(0, 6), TEXT.slice(6)];

const openAiCall = { index: 0, id: 'call_1', type: 'function', function: { name: CALL.name, arguments: ARGUMENTS } };
const openAiUsage = { prompt_tokens: 21, completion_tokens: 10, total_tokens: 31 };
const completion = (message: object, finish: string): object => ({
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', usage: openAiUsage },
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
});
const chunk = (delta: object, finish: string | null = null): object => ({
  ...{ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' },
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const closing = { ...chunk({}), choices: [], usage: openAiUsage };

const openAi: Recording = {
  whole: {
    text: bytes(completion({ content: TEXT }, 'stop')),
    call: bytes(completion({ content: null, tool_calls: [openAiCall] }, 'tool_calls')),
  },
  stream: {
    text: sse(
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: head }),
      chunk({ content: tail }),
      chunk({}, 'stop'),
      closing,
      '[DONE]',
    ),
    call: sse(
      chunk({ tool_calls: [{ ...openAiCall, function: { name: CALL.name, arguments: '' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: ARGUMENTS } }] }),
      chunk({}, 'tool_calls'),
      closing,
      '[DONE]',
    ),
  },
  error: { status: 400, body: JSON.stringify({ error: { message: SAID, type: 'invalid_request_error', code: 'x' } }) },
};

const responseOf = (status: string, output: object[]): JsonObject => ({
  ...{ id: 'resp_1', object: 'response', created_at: 1, status, model: 'm', error: null },
  output: output as JsonObject[],
  usage: { input_tokens: 21, output_tokens: 10, total_tokens: 31 },
});
const messageItem = { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: TEXT }] };
const callItem = { id: 'fc_1', type: 'function_call', call_id: 'c1', name: CALL.name, arguments: ARGUMENTS };
const responseStream = (item: object, deltas: ({ type: string } & JsonObject)[]): Buffer =>
  Buffer.from(
    typed({ type: 'response.created', response: responseOf('in_progress', []) }, ...deltas, {
      type: 'response.completed',
      response: responseOf('completed', [item]),
    }).join(''),
  );

const withResponses: Recording = {
  ...openAi,
  responses: {
    whole: {
      text: bytes(responseOf('completed', [messageItem])),
      call: bytes(responseOf('completed', [callItem])),
    },
    stream: {
      text: responseStream(messageItem, [{ type: 'response.output_text.delta', item_id: 'msg_1', delta: TEXT }]),
      call: responseStream(callItem, [
        { type: 'response.function_call_arguments.delta', item_id: 'fc_1', delta: ARGUMENTS },
      ]),
    },
  },
};

const message = (content: object[], stop: string): object => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null },
  ...{ content, stop_reason: stop, usage: { input_tokens: 21, output_tokens: 10 } },
});
const messageEvents = (block: JsonObject, delta: JsonObject, stop: string): ({ type: string } & JsonObject)[] => [
  { type: 'message_start', message: { id: 'msg_1', role: 'assistant', model: 'm', usage: { input_tokens: 21 } } },
  { type: 'content_block_start', index: 0, content_block: block },
  { type: 'content_block_delta', index: 0, delta },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 10 } },
  { type: 'message_stop' },
];
const textEvents = messageEvents({ type: 'text', text: '' }, { type: 'text_delta', text: TEXT }, 'end_turn');
const callEvents = messageEvents(
  { type: 'tool_use', id: 'toolu_1', name: CALL.name, input: {} },
  { type: 'input_json_delta', partial_json: ARGUMENTS },
  'tool_use',
);

const anthropic: Recording = {
  target: { model: 'claude-3-haiku-20240307' },
  whole: {
    text: bytes(message([{ type: 'text', text: TEXT }], 'end_turn')),
    call: bytes(message([{ type: 'tool_use', id: 'toolu_1', name: CALL.name, input: CALL.args }], 'tool_use')),
  },
  stream: { text: Buffer.from(typed(...textEvents).join('')), call: Buffer.from(typed(...callEvents).join('')) },
  error: {
    status: 400,
    body: JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: SAID } }),
  },
};

const framed = (events: object[]): Buffer => Buffer.concat(events.map((event) => awsChunk(JSON.stringify(event))));

const bedrock: Recording = {
  ...anthropic,
  target: { model: 'claude-3-haiku-20240307', key: 'AKIDEXAMPLE|secret|eu-west-3' },
  stream: { text: framed(textEvents), call: framed(callEvents) },
  error: {
    status: 400,
    body: JSON.stringify({ message: SAID }),
    headers: { 'x-amzn-errortype': 'ValidationException' },
  },
};

const candidates = (parts: object[], finishReason?: string): object => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason !== undefined && { finishReason }) }],
  usageMetadata: { promptTokenCount: 21, candidatesTokenCount: 10, totalTokenCount: 31 },
  ...{ modelVersion: 'm', responseId: 'g1' },
});

const gemini: Recording = {
  target: { model: 'gemini-2.5-flash' },
  whole: {
    text: bytes(candidates([{ text: TEXT }], 'STOP')),
    call: bytes(candidates([{ functionCall: CALL }], 'STOP')),
  },
  stream: {
    text: sse(candidates([{ text: head }]), candidates([{ text: tail }], 'STOP')),
    call: sse(candidates([{ functionCall: CALL }], 'STOP')),
  },
  error: {
    status: 400,
    body: JSON.stringify({ error: { code: 400, status: 'INVALID_ARGUMENT', message: SAID } }),
  },
};

const VERTEX_KEY = JSON.stringify({
  ...{ type: 'service_account', project_id: 'p', private_key_id: 'k', client_email: 'a@p.iam.gserviceaccount.com' },
  ...{ private_key: '-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n', client_id: '1' },
});
const overVertex = (recording: Recording, model: string): Recording => ({
  ...recording,
  target: { model, key: VERTEX_KEY, other: 'europe-west1' },
});

const lines = (...objects: object[]): Buffer =>
  Buffer.from(objects.map((object) => `${JSON.stringify(object)}\n`).join(''));
const cohereCall = { name: CALL.name, parameters: CALL.args };
const cohereEnd = { meta: { billed_units: { input_tokens: 21, output_tokens: 10 } }, finish_reason: 'COMPLETE' };

const cohere: Recording = {
  whole: {
    text: bytes({ response_id: 'c1', text: TEXT, ...cohereEnd }),
    call: bytes({ response_id: 'c1', text: '', tool_calls: [cohereCall], ...cohereEnd }),
  },
  stream: {
    text: lines(
      { is_finished: false, event_type: 'stream-start', generation_id: 'c1' },
      { is_finished: false, event_type: 'text-generation', text: head },
      { is_finished: false, event_type: 'text-generation', text: tail },
      {
        is_finished: true,
        event_type: 'stream-end',
        response: { text: TEXT, ...cohereEnd },
        finish_reason: 'COMPLETE',
      },
    ),
    call: lines(
      { is_finished: false, event_type: 'tool-calls-generation', text: '', tool_calls: [cohereCall] },
      {
        ...{ is_finished: true, event_type: 'stream-end', finish_reason: 'COMPLETE' },
        response: { text: '', tool_calls: [cohereCall], ...cohereEnd },
      },
    ),
  },
  error: { status: 400, body: JSON.stringify({ message: SAID }) },
  lacks: ['image'],
};

const baiduPiece = (piece: object): object => ({
  ...{ id: 'as-1', object: 'chat.completion', created: 1, is_truncated: false, usage: openAiUsage },
  ...piece,
});
const baiduCall = {
  result: '',
  function_call: { name: CALL.name, arguments: ARGUMENTS },
  finish_reason: 'function_call',
};

const baidu: Recording = {
  target: { model: 'ERNIE-4.0-8K', key: 'id|secret' },
  whole: {
    text: bytes(baiduPiece({ result: TEXT, finish_reason: 'normal' })),
    call: bytes(baiduPiece(baiduCall)),
  },
  stream: {
    text: sse(
      baiduPiece({ sentence_id: 0, is_end: false, result: head }),
      baiduPiece({ sentence_id: 1, is_end: true, result: tail, finish_reason: 'normal' }),
    ),
    call: sse(baiduPiece({ sentence_id: 0, is_end: true, ...baiduCall })),
  },
  error: { status: 400, body: JSON.stringify({ error_code: 336003, error_msg: SAID }) },
  lacks: ['image'],
};

const zhipuUsage = { prompt_tokens: 21, completion_tokens: 10, total_tokens: 31 };
const zhipu: Recording = {
  target: { model: 'chatglm_pro', key: 'id.secret' },
  whole: {
    text: bytes({
      ...{ code: 200, msg: 'ok', success: true },
      data: { task_id: 'z1', choices: [{ role: 'assistant', content: TEXT }], usage: zhipuUsage },
    }),
  },
  stream: {
    text: Buffer.from(
      `event:add\nid:1\ndata:${head}\n\nevent:add\nid:1\ndata:${tail}\n\n` +
        `event:finish\nid:1\nmeta:${JSON.stringify({ task_id: 'z1', usage: zhipuUsage })}\n\n`,
    ),
  },
  error: { status: 400, body: JSON.stringify({ code: 1210, msg: SAID, success: false }) },
  lacks: ['tools', 'image'],
};

const spark = (status: number, choice: object, isLast = false): object => ({
  header: { code: 0, message: 'Success', sid: 'x1', status },
  payload: {
    choices: { status, seq: status, text: [{ role: 'assistant', index: 0, content: '', ...choice }] },
    ...(isLast && { usage: { text: { question_tokens: 4, ...openAiUsage } } }),
  },
});
/** Messages of a WebSocket as the relay passes them on; streamed and unstreamed answers are the same. */
const sparkSaid: Said = {
  text: sse(spark(0, { content: head }), spark(2, { content: tail }, true)),
  call: sse(spark(2, { function_call: { name: CALL.name, arguments: ARGUMENTS } }, true)),
};

const xunfei: Recording = {
  target: { model: 'SparkDesk-v4.0', key: 'app|secret|key', other: '' },
  whole: sparkSaid,
  stream: sparkSaid,
  error: { status: 200, body: sse({ header: { code: 10013, message: SAID, status: 2 } }).toString() },
  lacks: ['image'],
};

const tencentCall = { Id: 'call_1', Type: 'function', Index: 0, Function: { Name: CALL.name, Arguments: ARGUMENTS } };
const hunyuan = (choice: object): object => ({
  ...{ Created: 1, Id: 't1', Usage: { PromptTokens: 21, CompletionTokens: 10, TotalTokens: 31 } },
  Choices: [{ Index: 0, ...choice }],
});

const tencent: Recording = {
  target: { model: 'hunyuan-pro', key: '1|id|secret' },
  whole: {
    text: bytes({ Response: hunyuan({ Message: { Role: 'assistant', Content: TEXT }, FinishReason: 'stop' }) }),
    call: bytes({
      Response: hunyuan({
        Message: { Role: 'assistant', Content: '', ToolCalls: [tencentCall] },
        FinishReason: 'tool_calls',
      }),
    }),
  },
  stream: {
    text: sse(
      hunyuan({ Delta: { Role: 'assistant', Content: head }, FinishReason: '' }),
      hunyuan({ Delta: { Role: 'assistant', Content: tail }, FinishReason: 'stop' }),
    ),
    call: sse(
      hunyuan({ Delta: { Role: 'assistant', Content: '', ToolCalls: [tencentCall] }, FinishReason: '' }),
      hunyuan({ Delta: { Role: 'assistant', Content: '' }, FinishReason: 'tool_calls' }),
    ),
  },
  error: {
    status: 200,
    body: JSON.stringify({ Response: { Error: { Code: 'InvalidParameter', Message: SAID }, RequestId: 'r' } }),
  },
};

const difyEnd = { metadata: { usage: { prompt_tokens: 21, completion_tokens: 10, total_tokens: 31 } } };
const dify: Recording = {
  whole: { text: bytes({ event: 'message', message_id: 'm1', mode: 'chat', answer: TEXT, ...difyEnd }) },
  stream: {
    text: sse(
      { event: 'message', message_id: 'm1', answer: head },
      { event: 'message', message_id: 'm1', answer: tail },
      { event: 'message_end', message_id: 'm1', ...difyEnd },
    ),
  },
  error: { status: 400, body: JSON.stringify({ code: 'invalid_param', message: SAID, status: 400 }) },
  lacks: ['tools'],
};

const cozeUsage = { token_count: 31, output_count: 10, input_count: 21 };
const coze: Recording = {
  whole: {
    text: bytes({
      ...{ code: 0, chat: { id: 'z1', status: 'completed', usage: cozeUsage } },
      messages: [{ role: 'assistant', type: 'answer', content: TEXT, content_type: 'text' }],
    }),
  },
  stream: {
    text: Buffer.from(
      [
        ['conversation.message.delta', { role: 'assistant', type: 'answer', content: head }],
        ['conversation.message.delta', { role: 'assistant', type: 'answer', content: tail }],
        ['conversation.chat.completed', { id: 'z1', status: 'completed', usage: cozeUsage }],
        ['done', '[DONE]'],
      ]
        .map(([event, data]) => `event:${String(event)}\ndata:${JSON.stringify(data)}\n\n`)
        .join(''),
    ),
  },
  error: { status: 400, body: JSON.stringify({ code: 4000, msg: SAID }) },
  lacks: ['tools'],
};

const OPEN_AI_FAMILY = [4, 6, 7, 8, 9, 10, 12, 13, 17, 19, 20, 22, 25, 26, 27, 31, 35, 39, 40, 42, 43, 45, 46, 47, 48];

/** Recordings of each channel type that serves chat, by name in the matrix. */
export const recordingOf: Readonly<Record<number, Readonly<Record<string, Recording>>>> = {
  ...Object.fromEntries(OPEN_AI_FAMILY.map((type) => [type, { openai: openAi }])),
  1: { openai: withResponses },
  3: { openai: withResponses },
  14: { anthropic },
  15: { baidu },
  16: { zhipu },
  18: { xunfei },
  23: { tencent },
  24: { gemini },
  33: { bedrock },
  34: { cohere },
  37: { dify },
  41: {
    'vertex gemini': overVertex(gemini, 'gemini-2.5-flash'),
    'vertex claude': overVertex(anthropic, 'claude-3-7-sonnet-20250219'),
    'vertex llama': overVertex(openAi, 'meta/llama3-405b-instruct-maas'),
  },
  49: { coze },
};
