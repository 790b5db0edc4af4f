type Fields = Record<string, unknown>;

/**
 * The fields that differ from what was loaded, with their loaded values as `expected`: the server refuses the change if somebody else has
 * changed one of them meanwhile. Empty if nothing differs.
 */
export function changesOf<Sent extends object>(now: Sent, seen: Sent): Partial<Sent> & { expected?: Partial<Sent> } {
  const [typed, was] = [now as Fields, seen as Fields];
  const names = Object.keys(typed).filter((name) => typed[name] !== was[name]);
  if (names.length === 0) return {};
  const pick = (from: Fields) => Object.fromEntries(names.map((name) => [name, from[name]])) as Partial<Sent>;
  return { ...pick(typed), expected: pick(was) };
}
