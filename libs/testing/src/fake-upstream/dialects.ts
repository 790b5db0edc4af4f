import { createHash } from 'node:crypto';
import type { FakeBehaviour } from './behaviour.js';
import { countWords, splitMagic } from './behaviour.js';

export type JsonObject = Record<string, unknown>;

/** True usage, as the fake upstream counts it; what it reports may differ. */
export interface FakeUsage {
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
}

/** Sources that an answer with web search cites: one at its first word, one at its last. */
const CITED = [
  { title: 'A source', url: 'https://sources.fake-upstream.com/a?utm_source=openai' },
  { title: 'Ünother source', url: 'https://sources.fake-upstream.com/b' },
] as const;

/** Everything that an answer is built from. */
export interface FakeExchange {
  id: string;
  model: string;
  words: string[];
  /** Whether the client's limit shortened the reply. */
  isCut: boolean;
  usage: FakeUsage;
  behaviour: FakeBehaviour;
  includeUsage: boolean;
  /** Whether a web search was made, so that the answer names its sources. */
  isSearched?: boolean;
}

/**
 * A dialect: whole replies, streams and errors. Frames are `[event, data]`; a stream is `opening`, a frame per word,
 * `closing`.
 */
export interface FakeDialect {
  /** Content type of a stream that is one JSON object per line instead of events. */
  lines?: string;
  /** Between the name of an event's field and its value; a space if absent. */
  separator?: '';
  /** How frames are written in a binary stream. */
  binary?: { contentType: string; write(frame: Frame): Buffer };
  reply(exchange: FakeExchange): string;
  opening(exchange: FakeExchange): Frame[];
  word(exchange: FakeExchange, text: string): Frame;
  closing(exchange: FakeExchange): Frame[];
  error(details: { message: string; type: string; code: string }): JsonObject;
  errorFrame(details: { message: string; type: string; code: string }): Frame;
}

export type Frame = [event: string | undefined, data: string];

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: JsonObject | string) =>
    typeof part === 'string' ? [part] : [part.text, part.content].flatMap(textsOf),
  );
}

/** Token count of the prompt in any request format, and the settings in its last text. */
export function readPrompt(body: JsonObject): { promptTokens: number; behaviour: Partial<FakeBehaviour> } {
  const messages = Array.isArray(body.messages) ? (body.messages as JsonObject[]) : [];
  const texts = [
    body.system,
    body.instructions,
    ...messages.map(({ content }) => content),
    body.prompt,
    body.input,
    body.instruction,
  ].flatMap(textsOf);
  const tokenIds = [body.input].flat(2).filter((item) => typeof item === 'number').length;
  const parts = texts.map(splitMagic);
  return {
    promptTokens: parts.reduce((sum, { text }) => sum + countWords(text), tokenIds),
    behaviour: parts.at(-1)?.behaviour ?? {},
  };
}

const half = ({ promptTokens, completionTokens, cachedTokens }: FakeUsage): FakeUsage => ({
  promptTokens: Math.floor(promptTokens / 2),
  completionTokens: Math.floor(completionTokens / 2),
  cachedTokens,
});

const zero: FakeUsage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 };

/** The usage blocks to report, in order; if there are two, the last one is the true one. */
export function reportedUsages({ usage, behaviour }: FakeExchange): FakeUsage[] {
  if (behaviour.usage === 'absent') return [];
  if (behaviour.usage === 'zero') return [zero];
  return behaviour.usage === 'twice' ? [half(usage), usage] : [usage];
}

export const openAiUsage = ({ promptTokens, completionTokens, cachedTokens }: FakeUsage): JsonObject => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
  prompt_tokens_details: { cached_tokens: cachedTokens },
});

const anthropicUsage = ({ promptTokens, completionTokens, cachedTokens }: FakeUsage): JsonObject => ({
  input_tokens: promptTokens - cachedTokens,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cachedTokens,
  output_tokens: completionTokens,
});

/** Builds a JSON object as text, because an object cannot hold `usage` twice. */
const objectText = (members: [string, unknown][]): string =>
  `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;

const CREATED = 1_700_000_000;

/** The sources of an answer with web search, with their positions in it. */
export function sourcesOf({ words, isSearched }: FakeExchange): JsonObject[] {
  if (!isSearched || words.length === 0) return [];
  const end = words.join('').length;
  const places = [
    { start_index: 0, end_index: words[0]!.length },
    { start_index: end - words.at(-1)!.length, end_index: end },
  ];
  return CITED.map((page, index) => ({ ...places[index], ...page }));
}

/** The sources in a chat: in a whole reply, or in the last delta of a stream. */
function annotationsOf(exchange: FakeExchange): { annotations?: JsonObject[] } {
  const annotations = sourcesOf(exchange).map((source) => ({ type: 'url_citation', url_citation: source }));
  return annotations.length > 0 ? { annotations } : {};
}

function openAiFamily(kind: 'chat' | 'text'): FakeDialect {
  const isChat = kind === 'chat';
  const finish = ({ isCut }: FakeExchange): string => (isCut ? 'length' : 'stop');
  const chunk = ({ id, model }: FakeExchange, rest: JsonObject): Frame => [
    undefined,
    JSON.stringify({
      id,
      object: isChat ? 'chat.completion.chunk' : 'text_completion',
      created: CREATED,
      model,
      ...rest,
    }),
  ];
  const choice = (delta: JsonObject, text: string, reason: string | null): JsonObject => ({
    choices: [{ index: 0, ...(isChat ? { delta } : { text }), logprobs: null, finish_reason: reason }],
  });
  return {
    reply(exchange) {
      const text = exchange.words.join('');
      const content = isChat
        ? { message: { role: 'assistant', content: text, refusal: null, ...annotationsOf(exchange) } }
        : { text };
      return objectText([
        ['id', exchange.id],
        ['object', isChat ? 'chat.completion' : 'text_completion'],
        ['created', CREATED],
        ['model', exchange.model],
        ['choices', [{ index: 0, ...content, logprobs: null, finish_reason: finish(exchange) }]],
        ...reportedUsages(exchange).map((usage): [string, unknown] => ['usage', openAiUsage(usage)]),
      ]);
    },
    opening: (exchange) => (isChat ? [chunk(exchange, choice({ role: 'assistant', content: '' }, '', null))] : []),
    word: (exchange, text) => chunk(exchange, choice({ content: text }, text, null)),
    closing: (exchange) => {
      const reported = exchange.includeUsage ? reportedUsages(exchange) : [];
      const usages = reported.map((usage) => chunk(exchange, { choices: [], usage: openAiUsage(usage) }));
      const cited = isChat && exchange.isSearched ? [chunk(exchange, choice(annotationsOf(exchange), '', null))] : [];
      return [...cited, chunk(exchange, choice({}, '', finish(exchange))), ...usages, [undefined, '[DONE]']];
    },
    error: ({ message, type, code }) => ({ error: { message, type, param: null, code } }),
    errorFrame: ({ message, type, code }) => [
      undefined,
      JSON.stringify({ error: { message, type, param: null, code } }),
    ],
  };
}

const typed = (data: { type: string } & JsonObject): Frame => [data.type, JSON.stringify(data)];

const anthropicErrorTypes: Readonly<Record<string, string>> = {
  invalid_api_key: 'authentication_error',
  rate_limit_exceeded: 'rate_limit_error',
  server_error: 'api_error',
};

/** Blocks of searches that Claude makes on the server: the call and its results. */
const searchBlocks = ({ id, behaviour }: FakeExchange): JsonObject[] =>
  Array.from({ length: behaviour.searches }, (_, index) => `srvtoolu_${id}_${index}`).flatMap((use) => [
    { type: 'server_tool_use', id: use, name: 'web_search', input: { query: 'the weather' } },
    {
      ...{ type: 'web_search_tool_result', tool_use_id: use },
      content: [
        { type: 'web_search_result', url: 'https://example.com', title: 'Ulm', encrypted_content: 'x', page_age: null },
      ],
    },
  ]);

const textAt = ({ behaviour }: FakeExchange): number => 2 * behaviour.searches;

const searchCount = ({ behaviour: { searches } }: FakeExchange): JsonObject =>
  searches > 0 ? { server_tool_use: { web_search_requests: searches } } : {};

const anthropicDialect: FakeDialect = {
  reply(exchange) {
    return objectText([
      ['id', exchange.id],
      ['type', 'message'],
      ['role', 'assistant'],
      ['model', exchange.model],
      ['content', [...searchBlocks(exchange), { type: 'text', text: exchange.words.join('') }]],
      ['stop_reason', exchange.isCut ? 'max_tokens' : 'end_turn'],
      ['stop_sequence', null],
      ...reportedUsages(exchange).map((usage): [string, unknown] => [
        'usage',
        { ...anthropicUsage(usage), ...searchCount(exchange) },
      ]),
    ]);
  },
  opening: (exchange) => {
    const { id, model } = exchange;
    const [reported] = reportedUsages(exchange);
    const usage = reported && {
      usage: anthropicUsage({ ...reported, completionTokens: Math.min(reported.completionTokens, 1) }),
    };
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      ...usage,
    };
    return [
      typed({ type: 'message_start', message }),
      ...searchBlocks(exchange).flatMap((block, index) => [
        typed({ type: 'content_block_start', index, content_block: block }),
        typed({ type: 'content_block_stop', index }),
      ]),
      typed({ type: 'content_block_start', index: textAt(exchange), content_block: { type: 'text', text: '' } }),
      typed({ type: 'ping' }),
    ];
  },
  word: (exchange, text) =>
    typed({ type: 'content_block_delta', index: textAt(exchange), delta: { type: 'text_delta', text } }),
  closing: (exchange) => {
    const delta = { stop_reason: exchange.isCut ? 'max_tokens' : 'end_turn', stop_sequence: null };
    const reported = reportedUsages(exchange).map((usage) => ({
      usage: { ...anthropicUsage(usage), ...searchCount(exchange) },
    }));
    return [
      typed({ type: 'content_block_stop', index: textAt(exchange) }),
      ...(reported.length > 0 ? reported : [{}]).map((usage) => typed({ type: 'message_delta', delta, ...usage })),
      typed({ type: 'message_stop' }),
    ];
  },
  error: ({ message, type, code }) => ({ type: 'error', error: { type: anthropicErrorTypes[code] ?? type, message } }),
  errorFrame: (details) => ['error', JSON.stringify(anthropicDialect.error(details))],
};

export const chatDialect = openAiFamily('chat');
export const completionsDialect = openAiFamily('text');
export { anthropicDialect as messagesDialect };

const DIMENSIONS = 8;

/** A vector that depends on the text only. */
function vectorOf(text: string): number[] {
  const hash = createHash('sha256').update(text).digest();
  return Array.from({ length: DIMENSIONS }, (_, index) => Math.fround((hash[index] ?? 0) / 255 - 0.5));
}

/** In base64, which clients request to save bytes, vectors are little-endian 32-bit floats. */
const encode = (vector: number[], format: unknown): number[] | string =>
  format === 'base64' ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector;

export function embeddingsReply(body: JsonObject, exchange: FakeExchange): string {
  const inputs =
    Array.isArray(body.input) && typeof body.input[0] !== 'number' ? (body.input as unknown[]) : [body.input];
  const data = inputs.map((input, index) => ({
    object: 'embedding',
    index,
    embedding: encode(vectorOf(JSON.stringify(input)), body.encoding_format),
  }));
  return objectText([
    ['object', 'list'],
    ['model', exchange.model],
    ['data', data],
    ...reportedUsages(exchange).map(({ promptTokens }): [string, unknown] => [
      'usage',
      { prompt_tokens: promptTokens, total_tokens: promptTokens },
    ]),
  ]);
}
