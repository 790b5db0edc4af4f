/** Nested maps keyed by label values, in the order of the labels; the innermost ones hold the values. */
export type NestedMaps<Value> = Map<string, NestedMaps<Value> | Value>;

/** The innermost map for these label values; the last value is its key. Missing maps are created. */
export function innermost<Value>(root: NestedMaps<Value>, values: readonly string[]): Map<string, Value> {
  let level = root;
  const last = values.length - 1;
  for (let at = 0; at < last; at += 1) level = below(level, values[at] ?? '');
  return level as Map<string, Value>;
}

function below<Value>(level: NestedMaps<Value>, value: string): NestedMaps<Value> {
  let next = level.get(value) as NestedMaps<Value> | undefined;
  if (!next) level.set(value, (next = new Map()));
  return next;
}
