import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { leaveUnread } from '@tollgate/chassis';
import { type Dialect, errorBody } from '@tollgate/providers';
import type { Refusal } from '../call/refusal.js';
import { queryOf } from './gemini-call.js';
import type { HotRequest } from './hot-request.js';
import { taskDialectOf, taskErrorBody } from '../task/task-fault.js';

type Asked = Pick<IncomingMessage, 'method' | 'headers' | 'url'>;
type Answerable = Pick<HotRequest, 'id' | 'raw' | 'response'>;

/** Clients of Gemini's own paths, those that call a method of a model, and those that bring Google's key to a list of models. */
const isGemini = (path: string, asked: Asked): boolean =>
  path.startsWith('/v1beta') ? !path.startsWith('/v1beta/openai') : isGeminiModel(path, asked);

/** A colon may be part of a name: `ft:gpt-4o:acme::id`. What is posted to a model is a call of its method. */
const isGeminiModel = (path: string, { method, headers, url }: Asked): boolean =>
  path.startsWith('/v1/models') &&
  ((method === 'POST' && path.includes(':')) || headers['x-goog-api-key'] !== undefined || queryOf(url).has('key'));

/** Clients of /v1/messages, and those that ask for models and name a version of Anthropic's, speak Anthropic; their key stands in either header. */
export function dialectOf(path: string, asked: Asked): Dialect {
  const { headers } = asked;
  if (path.startsWith('/v1/messages')) return 'anthropic';
  if (isGemini(path, asked)) return 'gemini';
  return path.startsWith('/v1/models') && headers['anthropic-version'] !== undefined ? 'anthropic' : 'openai';
}

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

/** The whole answer. What the client still sends is not waited for. */
export function sendJson(
  { id, raw, response }: Answerable,
  body: object,
  { status = 200, headers }: Answer = {},
): void {
  leaveUnread(raw, response);
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'x-oneapi-request-id': id,
  });
  response.end(text);
}

function sendNothing({ id, raw, response }: Answerable, status: number): void {
  leaveUnread(raw, response);
  response.writeHead(status, { 'content-length': 0, 'x-oneapi-request-id': id });
  response.end();
}

/** The refusal in the dialect of the path that was called. */
export function refuse(request: HotRequest, refusal: Refusal): void {
  if (refusal.extra.isEmpty) return sendNothing(request, refusal.status);
  const tasks = taskDialectOf(request.path);
  if (tasks === undefined) return sendRefusal(request, refusal, dialectOf(request.path, request.raw));
  const body = taskErrorBody(tasks, refusal, request.id);
  sendJson(request, body, { status: refusal.status, headers: headersOf(refusal) });
}

/** The refusal in the caller's dialect. Where OpenAI has one type, Anthropic has one for each status; a refusal of the relay itself keeps its own. */
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

/** Whole seconds, at least one; told wherever it makes sense to come again. */
function retryAfterOf(status: number, asked: number | undefined): number | undefined {
  if (asked !== undefined) return Math.max(1, Math.ceil(asked));
  return status === 429 || status === 503 ? 1 : undefined;
}
