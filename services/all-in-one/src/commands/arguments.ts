import { parseArgs } from 'node:util';
import { AppError } from '@tollgate/chassis';
import { readTime } from '@tollgate/operations';

export type Flags = Record<string, string | boolean | undefined>;

/** Parses the flags of a command. Throws `arguments-invalid` for an unknown flag. */
export function readFlags(
  args: readonly string[],
  options: Record<string, { type: 'string' | 'boolean' }>,
): { flags: Flags; rest: string[] } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
    return { flags: values as Flags, rest: positionals };
  } catch (error) {
    throw new AppError('invalid', 'arguments-invalid', (error as Error).message, { cause: error });
  }
}

/** Whether these arguments ask for the usage of a command instead of running it. */
export const asksForHelp = (args: readonly string[]): boolean => args.some((arg) => arg === '--help' || arg === '-h');

/** The exit code of a command that failed: 64 for wrong arguments, as for an unknown command. */
export const exitCodeOf = (error: unknown): number =>
  error instanceof AppError && (error.code === 'arguments-invalid' || error.code === 'period-invalid') ? 64 : 1;

export const PERIOD = { from: { type: 'string' }, to: { type: 'string' } } as const;

/**
 * For commands that always apply to everything: an extra argument would look like a filter. Throws `arguments-invalid`.
 */
export function refuseRest([first]: readonly string[]): void {
  if (first !== undefined)
    throw new AppError(
      'invalid',
      'arguments-invalid',
      `"${first}" is no option. What is known about one request, order or code: show <id>.`,
    );
}

/** In milliseconds; a missing bound is left out. Throws `period-invalid`. */
export function periodOf({ from, to }: Flags): { from?: number; to?: number } {
  const period = {
    ...(typeof from === 'string' && { from: readTime(from) }),
    ...(typeof to === 'string' && { to: readTime(to) }),
  };
  if (period.from !== undefined && period.to !== undefined && period.from >= period.to)
    throw new AppError('invalid', 'period-invalid', '--from must be before --to.');
  return period;
}

/**
 * The function of a subcommand; `undefined` for unknown names, including those of `Object.prototype` such as
 * `toString`.
 */
export const workOf = <Work>(works: Readonly<Record<string, Work>>, name: string): Work | undefined =>
  Object.hasOwn(works, name) ? works[name] : undefined;

/** A comma-separated list of user ids; `undefined` when the flag is missing. Throws `arguments-invalid`. */
export function usersOf(flags: Flags, name: string): ReadonlySet<number> | undefined {
  const text = flags[name];
  if (typeof text !== 'string') return undefined;
  if (!/^\d+(,\d+)*$/.test(text))
    throw new AppError('invalid', 'arguments-invalid', `--${name} takes ids of users, parted by commas.`);
  return new Set(text.split(',').map(Number));
}
