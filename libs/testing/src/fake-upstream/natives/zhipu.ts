import { createHmac } from 'node:crypto';
import type { FakeDialect, FakeExchange, JsonObject } from '../dialects.js';
import { lastReported, plainUsage } from './keyed-words.js';
import type { Native } from './native.js';

export const ZHIPU_KEY = 'fake-id.fake-secret';
const [ID, SECRET = ''] = ZHIPU_KEY.split('.');

const partOf = (text: string | undefined): JsonObject => {
  try {
    return JSON.parse(Buffer.from(text ?? '', 'base64url').toString('utf8')) as JsonObject;
  } catch {
    return {};
  }
};

/** Whether a token was signed with the key and has not expired. */
export function isZhipuToken(token: string, now = Date.now()): boolean {
  const [head, payload, signature] = token.split('.');
  const { alg, sign_type: signType } = partOf(head);
  const { api_key: id, exp, timestamp } = partOf(payload);
  const own = createHmac('sha256', SECRET).update(`${head}.${payload}`).digest('base64url');
  const isTimely = Number(exp) > now && Math.abs(Number(timestamp) - now) < 60_000;
  return alg === 'HS256' && signType === 'SIGN' && id === ID && signature === own && isTimely;
}

const codes: Readonly<Record<string, number>> = { '401': 1000, '429': 1302, '400': 1210, rate_limit_exceeded: 1302 };

const factsOf = (exchange: FakeExchange): JsonObject => {
  const reported = lastReported(exchange);
  return {
    request_id: exchange.id,
    task_id: `task-${exchange.id}`,
    task_status: 'SUCCESS',
    ...(reported && { usage: plainUsage(reported) }),
  };
};

const zhipuDialect: FakeDialect = {
  separator: '',
  reply: (exchange) => {
    const choices = [{ role: 'assistant', content: JSON.stringify(exchange.words.join('')) }];
    return JSON.stringify({ code: 200, msg: '操作成功', data: { ...factsOf(exchange), choices }, success: true });
  },
  opening: () => [],
  word: (_, text) => ['add', text.replaceAll('\n', '\ndata:')],
  // Zhipu sends the finish reason and the usage in a separate field after the text.
  closing: (exchange) => [['finish', `\nmeta:${JSON.stringify(factsOf(exchange))}`]],
  error: ({ message, code }) => ({ code: codes[code] ?? (Number(code) || 500), msg: message, success: false }),
  errorFrame: (details) => ['error', JSON.stringify(zhipuDialect.error(details))],
};

const CALL = /\/api\/paas\/v3\/model-api\/([^/]+)\/(invoke|sse-invoke)$/;
const unauthorised = {
  status: 401,
  message: 'Authorization Token非法，请确认Authorization Token正确传递。',
  type: '',
  code: '401',
};

/** Version 3 of Zhipu's API. */
export const zhipu: Native = ({ url, headers, json }) => {
  const [, model, method] = CALL.exec(url.pathname) ?? [];
  if (model === undefined) return undefined;
  return {
    dialect: zhipuDialect,
    model,
    isStream: method === 'sse-invoke',
    prompt: { messages: json.prompt },
    ...(!isZhipuToken(headers.authorization ?? '') && { refusal: unauthorised }),
  };
};
