import type { ErrorReply } from '@tollgate/contracts/envelope';

export interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
  headers: Headers;
}

type Reply = unknown;
/**
 * Replies by method and path, e.g. `GET /api/token/`. A function gets the call and returns the reply; a `Response` is
 * returned unchanged.
 */
export type Replies = Record<string, Reply | ((call: Call) => Reply)>;

export const success = (data: unknown = null, extra: Record<string, unknown> = {}) => ({
  success: true,
  message: '',
  data,
  ...extra,
});

export const refusal = (message: string, code: string, more: Partial<ErrorReply> = {}): ErrorReply => ({
  success: false,
  message,
  code,
  kind: 'invalid',
  ...more,
});

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

/** A page of a list that has its total in a header: tokens, channels. */
export const listed = (rows: unknown[], total = rows.length): Response =>
  json(success(rows), 200, { 'X-Total-Count': String(total) });

/** Replaces `fetch`. A call to an address without a reply fails the test. */
export function fakeFetch(replies: Replies) {
  const calls: Call[] = [];
  const answer = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { pathname, searchParams } = new URL(request.url);
    const text = await request.text();
    const call: Call = {
      method: request.method,
      path: pathname,
      query: searchParams,
      body: text ? JSON.parse(text) : undefined,
      headers: request.headers,
    };
    calls.push(call);
    const reply = replies[`${call.method} ${call.path}`];
    if (reply === undefined) throw new Error(`no reply for ${call.method} ${call.path}`);
    const value: unknown = typeof reply === 'function' ? await (reply as (call: Call) => Reply)(call) : reply;
    return value instanceof Response ? value.clone() : json(value);
  };
  const of = (method: string, path: string): Call[] =>
    calls.filter((call) => call.method === method && call.path === path);
  return { answer, calls, of };
}
