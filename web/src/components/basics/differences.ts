/** A value before and after a change; `undefined` where there was or is none. */
export interface Difference {
  name: string;
  /** Of an entry of a map that is called `name`. */
  key?: string;
  before?: string;
  after?: string;
}

export const differenceKinds = ['added', 'changed', 'removed'] as const;
type DifferenceKind = (typeof differenceKinds)[number];

export const kindOf = ({ before, after }: Difference): DifferenceKind =>
  before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';

const percent = new Intl.NumberFormat('en-US', {
  style: 'percent',
  maximumSignificantDigits: 3,
  signDisplay: 'exceptZero',
});

/** By how much a number of a map has changed; other numbers may be ids or states. */
export function percentOf({ key, before = '', after = '' }: Difference): string | undefined {
  const [from, to] = [before, after].map((text) => (text.trim() === '' ? NaN : Number(text))) as [number, number];
  return key !== undefined && from > 0 && Number.isFinite(to)
    ? percent.format(to / from - 1).replace('-', '\u2212')
    : undefined;
}

export const titleOf = ({ name, key }: Difference): string => (key === undefined ? name : `${name} › ${key}`);

type JsonMap = Record<string, unknown>;

function mapOf(text = ''): JsonMap | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonMap) : undefined;
  } catch {
    return undefined;
  }
}

/** The form in which values of maps and of audit entries are shown. */
export const shownOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value);

/** The entries that differ, of two texts that are JSON objects, in the order of the later one; other texts as they are. */
export function entriesOf(whole: Difference): Difference[] {
  const [before, after] = [mapOf(whole.before), mapOf(whole.after)];
  if (!before || !after) return [whole];
  const entry = (map: JsonMap, key: string) => (Object.hasOwn(map, key) ? shownOf(map[key]) : undefined);
  const entries = [...new Set([...Object.keys(after), ...Object.keys(before)])]
    .map((key) => ({ name: whole.name, key, before: entry(before, key), after: entry(after, key) }))
    .filter((row) => row.before !== row.after);
  // Of texts that are written differently only there is nothing else to show.
  return entries.length > 0 ? entries : [whole];
}
