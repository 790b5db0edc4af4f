import { AppError } from '@tollgate/chassis';

/** System calls that precede an established connection. */
const STEPS: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);
/** Codes with which our own client refuses to connect. */
const REFUSED: ReadonlySet<string> = new Set([
  'address-not-allowed',
  'proxy-invalid',
  'proxy-scheme-unsupported',
  'url-invalid',
]);

const failedToConnect = ({ code, syscall, errors }: { code?: unknown; syscall?: unknown; errors?: unknown }): boolean =>
  STEPS.has(syscall) ||
  code === 'UND_ERR_CONNECT_TIMEOUT' ||
  // A host name with several addresses yields one error per address.
  (Array.isArray(errors) && errors.length > 0 && errors.every((one: object) => failedToConnect(one)));

/**
 * Whether a call of the outbound client failed before anything was sent, so that no upstream can have begun to work on
 * it.
 */
export function isUnsent(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  if (REFUSED.has(error.code)) return true;
  const { cause } = error;
  return typeof cause === 'object' && cause !== null && failedToConnect(cause);
}

/** Whether a call of the outbound client timed out. The upstream may work on the request all the same. */
export const isLate = (error: unknown): boolean =>
  error instanceof AppError && (error.cause as { name?: unknown } | undefined)?.name === 'TimeoutError';
