import { AppError } from '@tollgate/chassis';

/** Of the steps before a connection stands. */
const STEPS: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);
/** Why our own client did not connect at all. */
const REFUSED: ReadonlySet<string> = new Set([
  'address-not-allowed',
  'proxy-invalid',
  'proxy-scheme-unsupported',
  'url-invalid',
]);

const failedToConnect = ({ code, syscall, errors }: { code?: unknown; syscall?: unknown; errors?: unknown }): boolean =>
  STEPS.has(syscall) ||
  code === 'UND_ERR_CONNECT_TIMEOUT' ||
  // One fault for each address of a name.
  (Array.isArray(errors) && errors.length > 0 && errors.every((one: object) => failedToConnect(one)));

/** Whether a call of the outbound client failed before anything was sent, so that nobody can have begun to work for it. */
export function isUnsent(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  if (REFUSED.has(error.code)) return true;
  const { cause } = error;
  return typeof cause === 'object' && cause !== null && failedToConnect(cause);
}

/** Whether a call of the outbound client ended because its time was up. What was sent may be worked on all the same. */
export const isLate = (error: unknown): boolean =>
  error instanceof AppError && (error.cause as { name?: unknown } | undefined)?.name === 'TimeoutError';
