import {
  type FakeDialect,
  type FakeExchange,
  type FakeUsage,
  type Frame,
  type JsonObject,
  sourcesOf,
  reportedUsages,
} from './dialects.js';

const CREATED = 1_700_000_000;

const usageBlock = ({ promptTokens, completionTokens, cachedTokens }: FakeUsage): JsonObject => ({
  input_tokens: promptTokens,
  input_tokens_details: { cached_tokens: cachedTokens },
  output_tokens: completionTokens,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: promptTokens + completionTokens,
});

const item = (exchange: FakeExchange, status: string, content: JsonObject[]): JsonObject => ({
  id: `msg_${exchange.id}`,
  type: 'message',
  status,
  role: 'assistant',
  content,
});

const textPart = (text: string, annotations: JsonObject[] = []): JsonObject => ({
  type: 'output_text',
  annotations,
  logprobs: [],
  text,
});
const citationsOf = (exchange: FakeExchange): JsonObject[] =>
  sourcesOf(exchange).map((source) => ({ type: 'url_citation', ...source }));
const textOf = ({ words }: FakeExchange): string => words.join('');

const endOf = ({ isCut }: FakeExchange): string => (isCut ? 'incomplete' : 'completed');

type Search = 'web_search_call' | 'file_search_call';

/** The searches before the answer in order; each becomes an output item. */
const searchesOf = ({ behaviour: { searches, fileSearches } }: FakeExchange): Search[] => [
  ...Array.from({ length: searches }, () => 'web_search_call' as const),
  ...Array.from({ length: fileSearches }, () => 'file_search_call' as const),
];

function searchItem(exchange: FakeExchange, type: Search, index: number, status: string): JsonObject {
  const id = `${type === 'web_search_call' ? 'ws' : 'fs'}_${exchange.id}_${index}`;
  if (type === 'file_search_call') return { id, type, status, queries: ['the weather'], results: null };
  const isDone = status === 'completed';
  return { id, type, status, ...(isDone && { action: { type: 'search', query: 'the weather', sources: null } }) };
}

const searchItems = (exchange: FakeExchange): JsonObject[] =>
  searchesOf(exchange).map((type, index) => searchItem(exchange, type, index, 'completed'));

/** Events of the searches in a stream: the item is added, in progress, searching, completed, and done. */
const searchFrames = (exchange: FakeExchange): Frame[] =>
  searchesOf(exchange).flatMap((type, index) => {
    const begun = searchItem(exchange, type, index, 'in_progress');
    const at = { output_index: index, item_id: begun.id };
    return [
      event(exchange, 'response.output_item.added', { output_index: index, item: begun }),
      ...['in_progress', 'searching', 'completed'].map((step) => event(exchange, `response.${type}.${step}`, at)),
      event(exchange, 'response.output_item.done', {
        output_index: index,
        item: searchItem(exchange, type, index, 'completed'),
      }),
    ];
  });

function response(exchange: FakeExchange, status: string, output: JsonObject[], usage?: FakeUsage): JsonObject {
  return {
    ...{ id: exchange.id, object: 'response', created_at: CREATED, status, error: null, model: exchange.model, output },
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    ...{ parallel_tool_calls: true, tool_choice: 'auto', tools: [], temperature: 1, top_p: 1, store: true },
    ...(usage && { usage: usageBlock(usage) }),
  };
}

function whole(exchange: FakeExchange): JsonObject {
  const status = endOf(exchange);
  return response(
    exchange,
    status,
    [...searchItems(exchange), item(exchange, status, [textPart(textOf(exchange), citationsOf(exchange))])],
    reportedUsages(exchange).at(-1),
  );
}

const sequences = new WeakMap<FakeExchange, number>();

function event(exchange: FakeExchange, type: string, data: JsonObject): Frame {
  const sequence = sequences.get(exchange) ?? 0;
  sequences.set(exchange, sequence + 1);
  return [type, JSON.stringify({ type, sequence_number: sequence, ...data })];
}

const place = (exchange: FakeExchange): JsonObject => ({
  item_id: `msg_${exchange.id}`,
  output_index: searchesOf(exchange).length,
  content_index: 0,
});

/** OpenAI's POST /v1/responses and its events. */
export const responsesDialect: FakeDialect = {
  reply: (exchange) => JSON.stringify(whole(exchange)),
  opening: (exchange) => [
    event(exchange, 'response.created', { response: response(exchange, 'in_progress', []) }),
    event(exchange, 'response.in_progress', { response: response(exchange, 'in_progress', []) }),
    ...searchFrames(exchange),
    event(exchange, 'response.output_item.added', {
      output_index: searchesOf(exchange).length,
      item: item(exchange, 'in_progress', []),
    }),
    event(exchange, 'response.content_part.added', { ...place(exchange), part: textPart('') }),
  ],
  word: (exchange, delta) => event(exchange, 'response.output_text.delta', { ...place(exchange), delta, logprobs: [] }),
  closing: (exchange) => {
    const citations = citationsOf(exchange);
    const part = textPart(textOf(exchange), citations);
    const status = endOf(exchange);
    return [
      ...citations.map((annotation, index) =>
        event(exchange, 'response.output_text.annotation.added', {
          ...place(exchange),
          annotation_index: index,
          annotation,
        }),
      ),
      event(exchange, 'response.output_text.done', { ...place(exchange), text: textOf(exchange), logprobs: [] }),
      event(exchange, 'response.content_part.done', { ...place(exchange), part }),
      event(exchange, 'response.output_item.done', {
        output_index: searchesOf(exchange).length,
        item: item(exchange, status, [part]),
      }),
      event(exchange, `response.${status}`, { response: whole(exchange) }),
    ];
  },
  error: ({ message, type, code }) => ({ error: { message, type, param: null, code } }),
  errorFrame: ({ message, code }) => [
    'error',
    JSON.stringify({ type: 'error', sequence_number: 99, code, message, param: null }),
  ],
};
