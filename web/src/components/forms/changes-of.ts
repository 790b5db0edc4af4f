type Fields = Record<string, unknown>;

/**
 * What differs from what was seen, and beside it, as `expected`, what that was: the server refuses where somebody else changed the same in
 * between. Nothing where nothing differs.
 */
export function changesOf<Sent extends object>(now: Sent, seen: Sent): Partial<Sent> & { expected?: Partial<Sent> } {
  const [typed, was] = [now as Fields, seen as Fields];
  const names = Object.keys(typed).filter((name) => typed[name] !== was[name]);
  if (names.length === 0) return {};
  const pick = (from: Fields) => Object.fromEntries(names.map((name) => [name, from[name]])) as Partial<Sent>;
  return { ...pick(typed), expected: pick(was) };
}
