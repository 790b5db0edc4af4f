import { type FakeDialect, type FakeExchange, type Frame, type JsonObject, reportedUsages } from '../dialects.js';
import { listIn, type Native, type NativeError, textIn } from './native.js';

const metaOf = (exchange: FakeExchange): JsonObject => {
  const reported = reportedUsages(exchange).at(-1);
  const billed = reported && { input_tokens: reported.promptTokens, output_tokens: reported.completionTokens };
  return { meta: { api_version: { version: '1' }, ...(billed && { billed_units: billed }) } };
};

const answerOf = (exchange: FakeExchange): JsonObject => ({
  response_id: exchange.id,
  generation_id: `gen-${exchange.id}`,
  text: exchange.words.join(''),
  finish_reason: exchange.isCut ? 'MAX_TOKENS' : 'COMPLETE',
  ...metaOf(exchange),
});

const frame = (value: JsonObject): Frame => [undefined, JSON.stringify(value)];

const cohereDialect: FakeDialect = {
  lines: 'application/stream+json',
  reply: (exchange) => JSON.stringify(answerOf(exchange)),
  opening: ({ id }) => [frame({ is_finished: false, event_type: 'stream-start', generation_id: `gen-${id}` })],
  word: (_, text) => frame({ is_finished: false, event_type: 'text-generation', text }),
  closing: (exchange) => {
    const response = answerOf(exchange);
    return [frame({ is_finished: true, event_type: 'stream-end', finish_reason: response.finish_reason, response })];
  },
  error: ({ message }) => ({ message }),
  errorFrame: () => frame({ is_finished: true, event_type: 'stream-end', finish_reason: 'ERROR', response: {} }),
};

const badKey: NativeError = { status: 401, message: 'invalid api token', type: '', code: '' };

/**
 * Version 1 of Cohere's chat: the question is separate from earlier turns, and a stream is one JSON object per line.
 */
export const cohere: Native = ({ url, headers, json }) => {
  if (!url.pathname.endsWith('/v1/chat') || typeof json.message !== 'string') return undefined;
  const before = listIn(json.chat_history).map(({ message }) => ({ content: textIn(message) }));
  return {
    dialect: cohereDialect,
    model: textIn(json.model),
    isStream: json.stream === true,
    prompt: { messages: [...before, { content: json.message }] },
    limit: json.max_tokens,
    ...(headers.authorization === 'Bearer bad-key' && { refusal: badKey }),
  };
};
