import { z } from 'zod';
import type { ErrorKind } from '@tollgate/contracts';
import { AppError } from '@tollgate/chassis';

/** Errors that a retry cannot fix: the data is invalid, or the code that handles it. */
const LASTING_KINDS: ReadonlySet<ErrorKind> = new Set([
  'invalid',
  'not-found',
  'conflict',
  'forbidden',
  'insufficient-quota',
]);
/** Data exceptions, constraint violations, cardinality violations, and values too large for an index or row. */
const DATA_FAULT = /^(21|22|23|54)[0-9A-Z]{3}$/;
const SQL_STATE = /^[0-9A-Z]{5}$/;
const MAX_CAUSES = 5;

/** Whether PostgreSQL refused a statement because of its values. */
export function isDataFault(error: unknown): boolean {
  const { code } = (error instanceof Error ? error : {}) as { code?: unknown };
  return typeof code === 'string' && DATA_FAULT.test(code);
}

/**
 * Whether a handler's error is caused by the event (poison) as opposed to the environment (outage). Everything not known to be poison
 * counts as an outage, because waiting loses nothing, but a wrong quarantine loses an effect.
 */
export function isPoison(error: unknown): boolean {
  if (error instanceof z.ZodError) return true;
  let at = error;
  for (let depth = 0; depth < MAX_CAUSES && at instanceof Error; depth += 1) {
    if (at instanceof AppError) return LASTING_KINDS.has(at.kind);
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && SQL_STATE.test(code)) return isDataFault(at);
    // A bug that this event triggers. `fetch failed` is a TypeError too, but has a cause.
    if ((at instanceof TypeError || at instanceof RangeError || at instanceof ReferenceError) && at.cause === undefined)
      return true;
    at = at.cause;
  }
  return false;
}
