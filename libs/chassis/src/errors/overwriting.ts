import { AppError } from './app-error.js';

/** The names of what is no longer as the caller saw it. Nothing is known of what they did not say. */
export const changedNames = (now: Readonly<Record<string, unknown>>, seen: Readonly<Record<string, unknown>> = {}) =>
  Object.entries(seen)
    .filter(([name, value]) => value !== undefined && now[name] !== value)
    .map(([name]) => name);

/** Throws where something was changed since the caller looked: nobody's change is overwritten unseen. */
export function refuseOverwriting(
  names: readonly string[],
  { code, message, id }: Record<'code' | 'message', string> & { id: number },
): void {
  if (names.length === 0) return;
  const fields = names.map((path) => ({ path, code }));
  throw new AppError('conflict', code, message, { params: { id }, fields });
}
