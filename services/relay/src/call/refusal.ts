import type { OutgoingHttpHeaders } from 'node:http';
import { cutText } from '@tollgate/contracts';
import { AppError } from '@tollgate/chassis';
import type { ClientError } from '@tollgate/providers';

const OWN_TYPE = 'new_api_error';
/** Codes of refusals for lack of quota, in a wallet or in a token's budget. */
const QUOTA_CODES: ReadonlySet<string> = new Set(['insufficient_user_quota', 'pre_consume_token_quota_failed']);
/** Messages are cut to this length, since they often repeat what the client sent, such as the name of a model. */
const MAX_MESSAGE = 1000;

/** An error with which the relay itself answers a request. `refuse` writes it in the dialect of the caller. */
export class Refusal extends Error {
  readonly error: ClientError;
  /** The owner of the key, set where the refusal is about the key itself. */
  whose?: { tokenId: number; userId: number };
  /** Whether a row of the usage log reports this refusal. */
  isLogged = false;
  /** Whether the call is charged although it is refused, because an upstream had answered before. */
  isCharged = false;

  constructor(
    readonly status: number,
    message: string,
    code = '',
    readonly extra: Pick<ClientError, 'statedCode' | 'isPlain' | 'details'> & {
      type?: string;
      param?: string;
      retryAfter?: number;
      /** Of the upstream that refused. */
      headers?: OutgoingHttpHeaders;
      reason?: string;
      /** The reply has a status and no body. */
      isEmpty?: true;
    } = {},
  ) {
    super(cutText(message, MAX_MESSAGE));
    this.name = 'Refusal';
    const { type = OWN_TYPE, param = '', statedCode, isPlain, details } = extra;
    this.error = { message: this.message, type, code, param, statedCode, isPlain, details };
  }

  get isForLackOfQuota(): boolean {
    return QUOTA_CODES.has(this.error.code);
  }

  /** The label for metrics and for the traces of refused calls. */
  get reason(): string {
    return this.extra.reason ?? (this.error.code || this.error.type);
  }
}

const STATUS: Partial<Record<AppError['kind'], number>> = {
  unauthenticated: 401,
  forbidden: 403,
  'insufficient-quota': 403,
  'not-found': 404,
  conflict: 409,
  'rate-limited': 429,
  upstream: 502,
  unavailable: 503,
  internal: 500,
};

/** Turns any error into the refusal that the client gets. The message of an unexpected error is logged, never sent. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof AppError) {
    const status = error.details.status ?? STATUS[error.kind] ?? 400;
    return new Refusal(status, error.message, error.code, { retryAfter: error.details.retryAfter });
  }
  const status = (error as { statusCode?: unknown } | undefined)?.statusCode;
  if (status === 413) return new Refusal(413, '请求体过大', 'body_too_large');
  if (typeof status === 'number' && status >= 400 && status < 500)
    return new Refusal(status, 'Invalid request, 无效的请求', 'invalid_request');
  return new Refusal(500, '系统内部错误，请联系管理员', 'internal_error');
}

/**
 * Another run with the same `Idempotency-Key` is in progress, or took the key over while this run had lost contact with
 * the store.
 */
export const inProgress = (): Refusal =>
  new Refusal(409, '相同 Idempotency-Key 的请求仍在处理中，请稍后重试', 'idempotency_in_progress', { retryAfter: 1 });
