import { type FakeDialect, type FakeExchange, type JsonObject, openAiUsage, reportedUsages } from '../dialects.js';
import { type Native, type NativeError, textIn } from './native.js';

const usageOf = (exchange: FakeExchange): JsonObject => {
  const reported = reportedUsages(exchange).at(-1);
  return reported ? { usage: openAiUsage(reported) } : {};
};

const runDialect: FakeDialect = {
  reply: (exchange) =>
    JSON.stringify({
      result: { response: exchange.words.join(''), ...usageOf(exchange) },
      ...{ success: true, errors: [], messages: [] },
    }),
  opening: () => [],
  word: (_, response) => [undefined, JSON.stringify({ response, p: 'abdefghij' })],
  closing: (exchange) => [
    [undefined, JSON.stringify({ response: '', ...usageOf(exchange) })],
    [undefined, '[DONE]'],
  ],
  error: ({ message, code }) => ({
    ...{ result: null, success: false, messages: [] },
    errors: [{ code: Number(code) || 3000, message }],
  }),
  errorFrame: ({ message }) => [undefined, JSON.stringify({ error: { message } })],
};

const badKey: NativeError = { status: 401, message: 'Authentication error', type: '', code: '10000' };

/** Models that run on Workers AI: completions, and speech to text. */
export const cloudflare: Native = ({ url, headers, json, bytes }) => {
  const match = /\/client\/v4\/accounts\/[^/]+\/ai\/run\/(.+)$/.exec(url.pathname);
  if (!match) return undefined;
  const isSound = headers['content-type']?.startsWith('audio/') || typeof json.audio === 'string';
  if (isSound) {
    const length = typeof json.audio === 'string' ? Buffer.from(json.audio, 'base64').length : bytes.length;
    const result = { text: `${length} bytes were heard.`, word_count: 4, vtt: 'WEBVTT\n' };
    return { status: 200, json: { result, success: true, errors: [], messages: [] } };
  }
  return {
    dialect: runDialect,
    model: match[1] ?? '',
    isStream: json.stream === true,
    prompt: { messages: [{ content: textIn(json.prompt) }] },
    limit: json.max_tokens,
    ...(headers.authorization === 'Bearer bad-key' && { refusal: badKey }),
  };
};
