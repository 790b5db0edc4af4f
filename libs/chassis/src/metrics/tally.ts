/** Nested maps keyed by label values, in the order of the labels; the innermost values are the counts. */
type Level = Map<string, Level | number>;

/**
 * Counts in nested maps keyed by label values, for what is counted with every request. A counter of prom-client is slower: it builds a
 * string of all labels each time and looks that up.
 */
export class Tally<Label extends string> {
  private readonly root: Level = new Map();

  constructor(private readonly names: readonly Label[]) {
    if (names.length === 0) throw new Error('a tally is kept by labels');
  }

  /** `values`: one for each label, in the order of `labelNames`. */
  add(by: number, ...values: string[]): void {
    let level = this.root;
    const last = values.length - 1;
    for (let at = 0; at < last; at += 1) level = below(level, values[at] ?? '');
    const value = values[last] ?? '';
    level.set(value, ((level.get(value) as number | undefined) ?? 0) + by);
  }

  /** Yields each count with its labels. */
  *counts(): Generator<{ labels: Record<Label, string>; value: number }> {
    yield* this.walk(this.root, []);
  }

  private *walk(level: Level, above: readonly string[]): Generator<{ labels: Record<Label, string>; value: number }> {
    for (const [text, inner] of level) {
      const values = [...above, text];
      if (typeof inner !== 'number') yield* this.walk(inner, values);
      else {
        const pairs = this.names.map((name, at) => [name, values[at] ?? '']);
        yield { labels: Object.fromEntries(pairs) as Record<Label, string>, value: inner };
      }
    }
  }
}

function below(level: Level, value: string): Level {
  let next = level.get(value) as Level | undefined;
  if (!next) level.set(value, (next = new Map()));
  return next;
}
