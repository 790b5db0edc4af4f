const CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH']);
/** Connection exceptions, a server that starts or stops, and too many connections. */
const SQL_STATES = /^(08[0-9A-Z]{3}|57P0[1-4]|53300)$/;
/** Failures that the driver reports by message only, without a code. */
const WORDS =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error/i;
const MAX_CAUSES = 5;

/** Whether the error means that a server this process depends on is temporarily unavailable, as opposed to a bug or bad input. */
export function isOutage(error: unknown): boolean {
  let at = error;
  for (let depth = 0; depth < MAX_CAUSES && at instanceof Error; depth += 1) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && (CODES.has(code) || SQL_STATES.test(code))) return true;
    if (WORDS.test(at.message)) return true;
    at = at.cause;
  }
  return false;
}
