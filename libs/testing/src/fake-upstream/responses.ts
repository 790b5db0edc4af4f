import {
  type FakeDialect,
  type FakeExchange,
  type FakeUsage,
  type Frame,
  type JsonObject,
  toldUsages,
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

const textPart = (text: string): JsonObject => ({ type: 'output_text', annotations: [], logprobs: [], text });
const textOf = ({ words }: FakeExchange): string => words.join('');

const endOf = ({ isCut }: FakeExchange): string => (isCut ? 'incomplete' : 'completed');

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
    [item(exchange, status, [textPart(textOf(exchange))])],
    toldUsages(exchange).at(-1),
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
  output_index: 0,
  content_index: 0,
});

/** POST /v1/responses of OpenAI, its events in their order. */
export const responsesDialect: FakeDialect = {
  reply: (exchange) => JSON.stringify(whole(exchange)),
  opening: (exchange) => [
    event(exchange, 'response.created', { response: response(exchange, 'in_progress', []) }),
    event(exchange, 'response.in_progress', { response: response(exchange, 'in_progress', []) }),
    event(exchange, 'response.output_item.added', { output_index: 0, item: item(exchange, 'in_progress', []) }),
    event(exchange, 'response.content_part.added', { ...place(exchange), part: textPart('') }),
  ],
  word: (exchange, delta) => event(exchange, 'response.output_text.delta', { ...place(exchange), delta, logprobs: [] }),
  closing: (exchange) => {
    const part = textPart(textOf(exchange));
    const status = endOf(exchange);
    return [
      event(exchange, 'response.output_text.done', { ...place(exchange), text: textOf(exchange), logprobs: [] }),
      event(exchange, 'response.content_part.done', { ...place(exchange), part }),
      event(exchange, 'response.output_item.done', { output_index: 0, item: item(exchange, status, [part]) }),
      event(exchange, `response.${status}`, { response: whole(exchange) }),
    ];
  },
  error: ({ message, type, code }) => ({ error: { message, type, param: null, code } }),
  errorFrame: ({ message, code }) => [
    'error',
    JSON.stringify({ type: 'error', sequence_number: 99, code, message, param: null }),
  ],
};
