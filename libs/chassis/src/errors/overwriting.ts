import { AppError } from './app-error.js';

/**
 * Names of the fields whose current value differs from the one the caller last saw. Fields that the caller did not send are not compared.
 */
export const changedNames = (now: Readonly<Record<string, unknown>>, seen: Readonly<Record<string, unknown>> = {}) =>
  Object.entries(seen)
    .filter(([name, value]) => value !== undefined && now[name] !== value)
    .map(([name]) => name);

/** Throws a conflict when fields have changed since the caller read them, so that no concurrent change is overwritten unnoticed. */
export function refuseOverwriting(
  names: readonly string[],
  { code, message, id }: Record<'code' | 'message', string> & { id: number },
): void {
  if (names.length === 0) return;
  const fields = names.map((path) => ({ path, code }));
  throw new AppError('conflict', code, message, { params: { id }, fields });
}
