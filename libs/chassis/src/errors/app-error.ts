import type { ErrorKind, ErrorReply } from '@tollgate/contracts';

interface Details extends ErrorOptions, Pick<ErrorReply, 'params' | 'fields'> {
  /** Member of the request that the error is about, by its name on the wire, for a form that shows the message there. */
  field?: string;
  /** HTTP status, only for calls whose documentation names one: setup and options 400, status test 503. */
  status?: number;
  /** Seconds, sent as `Retry-After` with kind `rate-limited` or `unavailable`. */
  retryAfter?: number;
}

/** An expected failure with a message for the person who sees it. Every other error is a bug and is reported as `internal`. */
export class AppError extends Error {
  constructor(
    readonly kind: ErrorKind,
    /** Stable name for tests, logs and translations, e.g. `redemption-already-used`. */
    readonly code: string,
    message: string,
    readonly details: Details = {},
  ) {
    super(message, details);
    this.name = 'AppError';
  }

  /** The same error about a member of the request. */
  at(field: string): AppError {
    const { kind, code, message, details } = this;
    return new AppError(kind, code, message, { ...details, field, cause: this });
  }
}
