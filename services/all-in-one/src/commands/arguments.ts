import { parseArgs } from 'node:util';
import { AppError } from '@tollgate/chassis';
import { readTime } from '@tollgate/operations';

export type Flags = Record<string, string | boolean | undefined>;

/** The flags of a command; one that it does not know is refused. Throws `arguments-invalid`. */
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

export const PERIOD = { from: { type: 'string' }, to: { type: 'string' } } as const;

/** For commands that are about everything: a name behind them would be thought to narrow them. Throws `arguments-invalid`. */
export function refuseRest([first]: readonly string[]): void {
  if (first !== undefined)
    throw new AppError(
      'invalid',
      'arguments-invalid',
      `"${first}" is no option. What is known about one request, order or code: show <id>.`,
    );
}

/** Milliseconds; a bound that is not named is left out. Throws `period-invalid`. */
export function periodOf({ from, to }: Flags): { from?: number; to?: number } {
  const period = {
    ...(typeof from === 'string' && { from: readTime(from) }),
    ...(typeof to === 'string' && { to: readTime(to) }),
  };
  if (period.from !== undefined && period.to !== undefined && period.from >= period.to)
    throw new AppError('invalid', 'period-invalid', '--from must be before --to.');
  return period;
}

/** What a command does by the word behind it; undefined for a word that it does not know, those that every object has included. */
export const workOf = <Work>(works: Readonly<Record<string, Work>>, name: string): Work | undefined =>
  Object.hasOwn(works, name) ? works[name] : undefined;

/** Ids of users, parted by commas; undefined where the flag is not there. Throws `arguments-invalid`. */
export function usersOf(flags: Flags, name: string): ReadonlySet<number> | undefined {
  const text = flags[name];
  if (typeof text !== 'string') return undefined;
  if (!/^\d+(,\d+)*$/.test(text))
    throw new AppError('invalid', 'arguments-invalid', `--${name} takes ids of users, parted by commas.`);
  return new Set(text.split(',').map(Number));
}
