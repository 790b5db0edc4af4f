import { createHmac } from 'node:crypto';

const LIFETIME_MS = 24 * 60 * 60 * 1000;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs a token with a key of the form `id.secret`; `undefined` for any other key. `nowMs` is the time of the call. */
export function zhipuToken(key: string, nowMs: number): string | undefined {
  const [id, secret, ...rest] = key.split('.');
  if (!id || !secret || rest.length > 0) return undefined;
  const payload = { api_key: id, exp: nowMs + LIFETIME_MS, timestamp: nowMs };
  const unsigned = `${encode({ alg: 'HS256', sign_type: 'SIGN' })}.${encode(payload)}`;
  return `${unsigned}.${createHmac('sha256', secret).update(unsigned).digest('base64url')}`;
}
