const kindOf = (value: unknown): string => (Array.isArray(value) ? 'list' : value === null ? 'nothing' : typeof value);

/** Whether both are text, or both a list, and so on. */
export const isOfKind = (value: unknown, sample: unknown): boolean => kindOf(value) === kindOf(sample);

/** Whether a value has all that the sample has, each of the same kind; what is in lists is not looked at. */
export function isAlike(value: unknown, sample: unknown): boolean {
  if (!isOfKind(value, sample)) return false;
  if (kindOf(sample) !== 'object') return true;
  const parts = value as Record<string, unknown>;
  return Object.entries(sample as object).every(([name, part]) => isAlike(parts[name], part));
}
