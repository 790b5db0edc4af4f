import type { BaseQueryFn, FetchArgs, FetchBaseQueryError, FetchBaseQueryMeta } from '@reduxjs/toolkit/query/react';
import { fetchBaseQuery } from '@reduxjs/toolkit/query/react';
import type { Envelope } from '@tollgate/contracts/envelope';
import type { ApiError } from './api-error.js';
import { readErrorReply } from './error-reply.js';
import { apiFailed, personRefused, rightsRefused, sessionRefused } from './events.js';

export interface EnvelopeMeta {
  /** Number of all matches, from the header of lists whose body is a bare array. */
  total?: number;
  requestId?: string;
  /** Wait in milliseconds that a refusal asks for. */
  retryAfterMs?: number;
  /** The whole reply, for calls that return fields beside `data`. */
  body?: unknown;
}

/** `quiet`: no toast for a failure, because the caller shows it itself or it does not matter (background polls). */
interface QueryExtra {
  quiet?: boolean;
}

interface SessionState {
  session: { user: { id: number } | null };
}
const storedUserId = (state: unknown): number => (state as SessionState).session.user?.id ?? -1;

const rawQuery = fetchBaseQuery({
  // Node's fetch, used by the tests, needs absolute URLs.
  baseUrl: `${window.location.origin}/`,
  prepareHeaders: (headers, { getState }) => {
    headers.set('New-Api-User', String(storedUserId(getState())));
    headers.set('Cache-Control', 'no-store');
    // The server writes mails in this language; the page's may differ from the browser's.
    headers.set('Accept-Language', document.documentElement.lang || 'zh-CN');
    return headers;
  },
});

const MAX_WAIT_MS = 10_000;

/** `Retry-After` (seconds) in milliseconds. */
function waitOf(retryAfter: string | null | undefined): number | undefined {
  const ms = retryAfter == null ? Number.NaN : Number(retryAfter) * 1000;
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}

/** Milliseconds to wait before a refused GET is repeated once; `undefined` if it is not repeated. */
export function retryDelay(method: string, status: unknown, retryAfter: string | null | undefined): number | undefined {
  if (method !== 'GET' || (status !== 429 && status !== 503)) return undefined;
  const wait = waitOf(retryAfter);
  return wait !== undefined && wait <= MAX_WAIT_MS ? wait : undefined;
}

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });

function toApiError(error: FetchBaseQueryError, { requestId, retryAfterMs }: EnvelopeMeta): ApiError {
  if (typeof error.status === 'number') {
    return {
      message: `HTTP ${error.status}`,
      ...readErrorReply(error.data),
      status: error.status,
      requestId,
      retryAfterMs,
    };
  }
  // Not a reply of Tollgate: a proxy cannot reach it, or a network answers with its own login page.
  if (error.status === 'PARSING_ERROR' && error.originalStatus >= 400)
    return { status: error.originalStatus, message: `HTTP ${error.originalStatus}`, requestId };
  return { status: 0, message: error.error, requestId };
}

const metaOf = (meta: FetchBaseQueryMeta | undefined, body: unknown): EnvelopeMeta => {
  const headers = meta?.response?.headers;
  const total = headers?.get('X-Total-Count');
  return {
    total: total ? Number(total) : undefined,
    requestId: headers?.get('X-Oneapi-Request-Id') ?? undefined,
    retryAfterMs: waitOf(headers?.get('Retry-After')),
    body,
  };
};

const isEnvelope = (body: unknown): body is Envelope =>
  typeof body === 'object' && body !== null && typeof (body as Envelope).success === 'boolean';

type Api = Parameters<typeof rawQuery>[1];

/** Makes the call; a refused GET is repeated once if the server says when. */
async function ask(args: string | FetchArgs, api: Api): Promise<Awaited<ReturnType<typeof rawQuery>>> {
  const method = (typeof args === 'string' ? undefined : args.method) ?? 'GET';
  const first = await rawQuery(args, api, {});
  const delay = retryDelay(method.toUpperCase(), first.error?.status, first.meta?.response?.headers.get('Retry-After'));
  if (delay === undefined) return first;
  await wait(delay, api.signal);
  return rawQuery(args, api, {});
}

/** The call that finds out whether a session is valid; that it is refused is for its caller. */
export const SESSION_CHECK = 'checkSession';

/** Dispatches the failure. `sentAs`: id of the user in whose name the call was made; by now another user may be signed in. */
function announce(error: ApiError, api: Api, { quiet, sentAs }: QueryExtra & { sentAs: number }): void {
  const isShown = !quiet && !api.signal.aborted;
  if (error.status === 401 && api.endpoint === SESSION_CHECK) return;
  if (error.status === 401 && sentAs !== -1)
    api.dispatch(sessionRefused({ sentAs, error: isShown ? error : undefined, query: api.queryCacheKey }));
  else if (isShown) api.dispatch(apiFailed(error));
  if (error.kind !== 'forbidden') return;
  // Fetching the current user again would be refused in the same way.
  if (api.endpoint !== 'getSelf') api.dispatch(rightsRefused());
  else if (storedUserId(api.getState()) === sentAs) api.dispatch(personRefused(error));
}

/**
 * The only place that handles the envelope and the statuses 401, 429 and 500. A failed call is dispatched once, and shown as a toast unless
 * it is quiet.
 */
export const envelopeQuery: BaseQueryFn<string | FetchArgs, unknown, ApiError, QueryExtra, EnvelopeMeta> = async (
  args,
  api,
  extra,
) => {
  const sentAs = storedUserId(api.getState());
  const raw = await ask(args, api);
  const meta = metaOf(raw.meta, raw.data);
  if (!raw.error && isEnvelope(raw.data) && raw.data.success) return { data: raw.data.data ?? null, meta };

  const error: ApiError = raw.error
    ? toApiError(raw.error, meta)
    : { status: 200, message: '', ...readErrorReply(raw.data), requestId: meta.requestId };
  announce(error, api, { quiet: extra?.quiet, sentAs });
  return { error, meta };
};
