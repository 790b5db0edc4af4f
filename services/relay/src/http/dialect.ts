import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { leaveUnread } from '@tollgate/chassis';
import { allRoutes } from '@tollgate/contracts';
import { type Dialect, errorBody } from '@tollgate/providers';
import { idHeaders } from '../call/id-headers.js';
import type { Refusal } from '../call/refusal.js';
import { queryOf } from './gemini-call.js';
import { type HotRequest, pathOf, withoutSlash } from './hot-request.js';
import { taskDialectOf, taskErrorBody } from '../task/task-fault.js';

type RequestHead = Pick<IncomingMessage, 'method' | 'headers' | 'url'>;
type Answerable = Pick<HotRequest, 'id' | 'raw' | 'response'>;

/**
 * Whether the client speaks Gemini's dialect: it uses Gemini's own paths, calls a method of a model, or lists models
 * with a Google key.
 */
const isGemini = (path: string, head: RequestHead): boolean =>
  path.startsWith('/v1beta') ? !path.startsWith('/v1beta/openai') : isGeminiModel(path, head);

/** A colon may also be part of a model's name (`ft:gpt-4o:acme::id`), so it means a method only in a POST. */
const isGeminiModel = (path: string, { method, headers, url }: RequestHead): boolean =>
  path.startsWith('/v1/models') &&
  ((method === 'POST' && path.includes(':')) || headers['x-goog-api-key'] !== undefined || queryOf(url).has('key'));

/** The paths of calls that are served, each in its own dialect, whatever headers its client sends. */
const SERVED: ReadonlySet<string> = new Set(
  allRoutes.filter(({ owner, method }) => owner === 'relay' && method === 'POST').map(({ path }) => path),
);

/**
 * Clients of /v1/messages speak Anthropic's dialect, and so do those that list models or call what is not served with an
 * `anthropic-version` header, whichever header holds their key.
 */
const isAnthropic = (path: string, { headers }: RequestHead): boolean =>
  path.startsWith('/v1/messages') ||
  (headers['anthropic-version'] !== undefined && path.startsWith('/v1/') && !SERVED.has(withoutSlash(path)));

/** Whether a client expects errors in this dialect. The first that applies counts; OpenAI's is for all others. */
const expects: Readonly<Record<Exclude<Dialect, 'openai'>, (path: string, head: RequestHead) => boolean>> = {
  gemini: isGemini,
  anthropic: isAnthropic,
  // Errors of /v1/responses are those of OpenAI's other calls.
  responses: () => false,
};
const EXPECTED = Object.keys(expects) as (keyof typeof expects)[];

export const dialectOf = (path: string, head: RequestHead): Dialect =>
  EXPECTED.find((dialect) => expects[dialect](path, head)) ?? 'openai';

const ANTHROPIC_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
};

interface Answer {
  status?: number;
  headers?: OutgoingHttpHeaders;
}

/** Sends the whole reply, without waiting for the rest of a body that the client is still sending. */
export function sendJson(
  { id, raw, response }: Answerable,
  body: object,
  { status = 200, headers }: Answer = {},
): void {
  leaveUnread(raw, response);
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...idHeaders(id, dialectOf(pathOf(raw.url), raw)),
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

function sendNothing({ id, raw, response }: Answerable, status: number): void {
  leaveUnread(raw, response);
  response.writeHead(status, { 'content-length': 0, 'x-oneapi-request-id': id });
  response.end();
}

/** Sends the refusal in the dialect of the path that was called. */
export function refuse(request: HotRequest, refusal: Refusal): void {
  if (refusal.extra.isEmpty) return sendNothing(request, refusal.status);
  const tasks = taskDialectOf(request.path);
  if (tasks === undefined) return sendRefusal(request, refusal, dialectOf(request.path, request.raw));
  const body = taskErrorBody(tasks, refusal, request.id);
  sendJson(request, body, { status: refusal.status, headers: headersOf(refusal) });
}

/**
 * Sends the refusal in the given dialect. Where OpenAI has one error type, Anthropic has one per status; error types of
 * the relay itself stay as they are.
 */
export function sendRefusal(request: Answerable, refusal: Refusal, dialect: Dialect): void {
  const { error, status } = refusal;
  const isOfOpenAi = dialect === 'anthropic' && error.type === 'invalid_request_error';
  const type = isOfOpenAi ? (ANTHROPIC_TYPES[status] ?? error.type) : error.type;
  const headers = headersOf(refusal);
  sendJson(request, errorBody(dialect, { ...error, type }, request.id, status), { status, headers });
}

function headersOf({ status, extra }: Refusal): OutgoingHttpHeaders {
  const seconds = retryAfterOf(status, extra.retryAfter);
  return { ...extra.headers, ...(seconds !== undefined && { 'retry-after': String(seconds) }) };
}

/**
 * Whole seconds, at least one; also set for 429 and 503 without a stated time, because repeating the request may
 * succeed.
 */
function retryAfterOf(status: number, stated: number | undefined): number | undefined {
  if (stated !== undefined) return Math.max(1, Math.ceil(stated));
  return status === 429 || status === 503 ? 1 : undefined;
}
