/** A value before and after a change; `undefined` where there was or is none. */
export interface Difference {
  name: string;
  /** Of an entry of a map that is called `name`. */
  key?: string;
  before?: string;
  after?: string;
}

export const differenceKinds = ['added', 'changed', 'removed'] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

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
  return key !== undefined && from > 0 && Number.isFinite(to) ? percent.format(to / from - 1) : undefined;
}
