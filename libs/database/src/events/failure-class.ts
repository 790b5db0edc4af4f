import { z } from 'zod';
import type { ErrorKind } from '@tollgate/contracts';
import { AppError } from '@tollgate/chassis';

/** What no repetition will change: the data is at fault, or the code that reads it. */
const LASTING_KINDS: ReadonlySet<ErrorKind> = new Set([
  'invalid',
  'not-found',
  'conflict',
  'forbidden',
  'insufficient-quota',
]);
/** Data exceptions, broken constraints, two rows for one, and values larger than an index or a row can hold. */
const DATA_FAULT = /^(21|22|23|54)[0-9A-Z]{3}$/;
const SQL_STATE = /^[0-9A-Z]{5}$/;
const MAX_CAUSES = 5;

/** Whether PostgreSQL refused a statement for the values in it. */
export function isDataFault(error: unknown): boolean {
  const { code } = (error instanceof Error ? error : {}) as { code?: unknown };
  return typeof code === 'string' && DATA_FAULT.test(code);
}

/**
 * Whether a handler's error tells of the event (poison) and not of the surroundings (outage). Everything that is not
 * known to be poison counts as an outage: waiting loses nothing, a wrong quarantine loses an effect.
 */
export function isPoison(error: unknown): boolean {
  if (error instanceof z.ZodError) return true;
  let at = error;
  for (let depth = 0; depth < MAX_CAUSES && at instanceof Error; depth += 1) {
    if (at instanceof AppError) return LASTING_KINDS.has(at.kind);
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && SQL_STATE.test(code)) return isDataFault(at);
    // A bug that this event brings out; `fetch failed` is a TypeError too, but it has a cause.
    if ((at instanceof TypeError || at instanceof RangeError || at instanceof ReferenceError) && at.cause === undefined)
      return true;
    at = at.cause;
  }
  return false;
}
