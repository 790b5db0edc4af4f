import { createHash } from 'node:crypto';
import { embeddingsReply, type FakeDialect, type FakeExchange, type JsonObject } from '../dialects.js';
import { countWords, defaultBehaviour } from '../behaviour.js';
import { frame, lastReported, plainUsage } from './keyed-words.js';
import { type Native, type NativeCall, type NativeReply, textIn } from './native.js';

/** The only key that is rejected; any other `id|secret` is accepted. */
export const BAIDU_BAD_KEY = 'bad-key|secret';
const LIFETIME_SECONDS = 2_592_000;

const usageMember = (exchange: FakeExchange): JsonObject => {
  const reported = lastReported(exchange);
  return reported ? { usage: plainUsage(reported) } : {};
};

const reply = (exchange: FakeExchange, result: string, rest: JsonObject): JsonObject => ({
  id: `as-${exchange.id}`,
  object: 'chat.completion',
  created: 1_700_000_000,
  result,
  is_truncated: false,
  need_clear_history: false,
  ...rest,
});

const finishOf = ({ isCut }: FakeExchange): JsonObject => ({ finish_reason: isCut ? 'length' : 'normal' });

const codes: Readonly<Record<string, number>> = { '401': 110, '429': 18, '400': 336003, rate_limit_exceeded: 18 };

const baiduDialect: FakeDialect = {
  reply: (exchange) =>
    JSON.stringify(reply(exchange, exchange.words.join(''), { ...finishOf(exchange), ...usageMember(exchange) })),
  opening: () => [],
  word: (exchange, text) => frame(reply(exchange, text, { sentence_id: 0, is_end: false })),
  closing: (exchange) => [
    frame(reply(exchange, '', { sentence_id: 1, is_end: true, ...finishOf(exchange), ...usageMember(exchange) })),
  ],
  error: ({ message, code }) => ({ error_code: codes[code] ?? (Number(code) || 336000), error_msg: message }),
  errorFrame: (details) => frame(baiduDialect.error(details)),
};

const tokens = new Set<string>();

/** Makes all tokens issued so far invalid. */
export const revokeBaiduTokens = (): void => tokens.clear();

function exchange({ url, bytes }: NativeCall): NativeReply {
  const form = new URLSearchParams(url.search || bytes.toString('utf8'));
  const [type, id, secret] = ['grant_type', 'client_id', 'client_secret'].map((name) => form.get(name) ?? '');
  const refused = (words: string): NativeReply => ({
    status: 401,
    json: { error: 'invalid_client', error_description: words },
  });
  if (type !== 'client_credentials') return refused('unsupported grant type');
  if (!id || id === 'bad-key') return refused('unknown client id');
  if (!secret) return refused('Client authentication failed');
  const token = `24.${createHash('sha256').update(`${id}|${secret}`).digest('hex')}.${LIFETIME_SECONDS}`;
  tokens.add(token);
  return {
    status: 200,
    json: {
      access_token: token,
      expires_in: LIFETIME_SECONDS,
      scope: 'public ai_custom_yiyan_com',
      refresh_token: '25.x',
    },
  };
}

/** The reply of the embeddings endpoint: a vector per text. */
function embeddings({ json }: NativeCall): NativeReply {
  const texts = Array.isArray(json.input) ? json.input.map(textIn) : [];
  if (texts.length === 0) return { status: 200, json: { error_code: 336003, error_msg: 'the input is not a list' } };
  const promptTokens = texts.reduce((sum, text) => sum + countWords(text), 0);
  const list = JSON.parse(
    embeddingsReply(json, {
      ...{ id: 'as-1', model: 'embedding', words: [], isCut: false, includeUsage: true, behaviour: defaultBehaviour },
      usage: { promptTokens, completionTokens: 0, cachedTokens: 0 },
    }),
  ) as JsonObject;
  return { status: 200, json: { ...list, id: 'as-1', object: 'embedding_list', created: 1_700_000_000 } };
}

const CALL = /\/rpc\/2\.0\/ai_custom\/v1\/wenxinworkshop\/(chat|embeddings)\/([^/]+)$/;
const invalidToken = { status: 200, message: 'Access token invalid or no longer valid', type: '', code: '401' };

/** Baidu's Wenxin Workshop: access tokens in exchange for the two halves of a key, chat, and embeddings. */
export const baidu: Native = (call) => {
  const { url, json } = call;
  if (url.pathname.endsWith('/oauth/2.0/token')) return exchange(call);
  const [, kind, model = ''] = CALL.exec(url.pathname) ?? [];
  if (kind === undefined) return undefined;
  const isKnown = tokens.has(url.searchParams.get('access_token') ?? '');
  if (kind === 'embeddings')
    return isKnown ? embeddings(call) : { status: 200, json: baiduDialect.error(invalidToken) };
  return {
    dialect: baiduDialect,
    model,
    isStream: json.stream === true,
    prompt: json,
    limit: json.max_output_tokens,
    ...(!isKnown && { refusal: invalidToken }),
  };
};
