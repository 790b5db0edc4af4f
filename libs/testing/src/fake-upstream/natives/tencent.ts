import { createHash, createHmac } from 'node:crypto';
import type { FakeDialect, FakeExchange, FakeUsage, JsonObject } from '../dialects.js';
import { type ErrorDetails, frame, lastReported } from './keyed-words.js';
import { listIn, type Native, type NativeCall, textIn } from './native.js';

export const TENCENT_KEY = '1250000000|AKIDfake|fake-secret-key';
const [, ID, SECRET] = TENCENT_KEY.split('|');
const HOST = 'hunyuan.tencentcloudapi.com';

const sum = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
const keyed = (key: Buffer | string, data: string): Buffer => createHmac('sha256', key).update(data).digest();

const AUTHORIZATION =
  /^TC3-HMAC-SHA256 Credential=([^/]+)\/(\d{4}-\d\d-\d\d)\/hunyuan\/tc3_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;

/** The error that Tencent would report for a request's signature; undefined for a valid one. */
export function tc3Fault(
  { headers, bytes }: Pick<NativeCall, 'headers' | 'bytes'>,
  now = Date.now(),
): string | undefined {
  const [, id, day = '', names = '', signature] = AUTHORIZATION.exec(headers.authorization ?? '') ?? [];
  const timestamp = textIn(headers['x-tc-timestamp']);
  if (id === undefined) return 'AuthFailure.InvalidAuthorization';
  if (id !== ID) return 'AuthFailure.SecretIdNotFound';
  if (Math.abs(Number(timestamp) * 1000 - now) > 300_000) return 'AuthFailure.SignatureExpire';
  const values: Record<string, unknown> = { ...headers, host: HOST };
  const lines = names.split(';').map((name) => `${name}:${textIn(values[name]).trim().toLowerCase()}`);
  const canonical = `POST\n/\n\n${lines.join('\n')}\n\n${names}\n${sum(bytes)}`;
  const text = `TC3-HMAC-SHA256\n${timestamp}\n${day}/hunyuan/tc3_request\n${sum(canonical)}`;
  const secretDate = keyed(`TC3${SECRET}`, day);
  const own = keyed(keyed(keyed(secretDate, 'hunyuan'), 'tc3_request'), text).toString('hex');
  return own === signature && day === new Date(Number(timestamp) * 1000).toISOString().slice(0, 10)
    ? undefined
    : 'AuthFailure.SignatureFailure';
}

const usageOf = ({ promptTokens, completionTokens }: FakeUsage): JsonObject => ({
  PromptTokens: promptTokens,
  CompletionTokens: completionTokens,
  TotalTokens: promptTokens + completionTokens,
});

const reply = (exchange: FakeExchange, choice: JsonObject, usage?: FakeUsage): JsonObject => ({
  Note: '以上内容为AI生成',
  Id: exchange.id,
  Created: 1_700_000_000,
  Choices: [{ Index: 0, ...choice }],
  ...(usage && { Usage: usageOf(usage) }),
});

const finishOf = ({ isCut }: FakeExchange): string => (isCut ? 'length' : 'stop');
const delta = (text: string, reason: string): JsonObject => ({
  Delta: { Role: 'assistant', Content: text },
  FinishReason: reason,
});

const codes: Readonly<Record<string, string>> = {
  '401': 'AuthFailure.SignatureFailure',
  '400': 'InvalidParameterValue',
  '429': 'LimitExceeded',
  rate_limit_exceeded: 'RequestLimitExceeded',
};
const codeOf = ({ code }: ErrorDetails): string => codes[code] ?? (/^[A-Z]/.test(code) ? code : 'InternalError');

const tencentDialect: FakeDialect = {
  reply: (exchange) => {
    const message = { Message: { Role: 'assistant', Content: exchange.words.join('') } };
    const response = reply(exchange, { FinishReason: finishOf(exchange), ...message }, lastReported(exchange));
    return JSON.stringify({ Response: { ...response, RequestId: exchange.id } });
  },
  opening: () => [],
  word: (exchange, text) => frame(reply(exchange, delta(text, ''))),
  closing: (exchange) => [frame(reply(exchange, delta('', finishOf(exchange)), lastReported(exchange)))],
  error: (details) => ({ Response: { Error: { Code: codeOf(details), Message: details.message }, RequestId: 'r' } }),
  errorFrame: (details) => frame({ ErrorMsg: { Msg: details.message, Code: codeOf(details) } }),
};

const refusalOf = (code: string) => ({ status: 200, message: `The request is refused: ${code}`, type: '', code });

/** Tencent's Hunyuan; each request has a TC3 signature. */
export const tencent: Native = (call) => {
  const { headers, json } = call;
  if (headers['x-tc-action'] === undefined) return undefined;
  const fault =
    headers['x-tc-action'] === 'ChatCompletions' && headers['x-tc-version'] === '2023-09-01'
      ? tc3Fault(call)
      : 'InvalidAction';
  const messages = listIn(json.Messages).map(({ Content: content, Contents: contents }) => ({
    content: content ?? listIn(contents).map(({ Text: text }) => ({ text })),
  }));
  return {
    dialect: tencentDialect,
    model: textIn(json.Model),
    isStream: json.Stream === true,
    prompt: { messages },
    ...(fault !== undefined && { refusal: refusalOf(fault) }),
  };
};
