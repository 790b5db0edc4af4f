import { innermost, type NestedMaps } from './nested-maps.js';

/**
 * Counts in nested maps keyed by label values, for what is counted with every request. A counter of prom-client is slower: it builds a
 * string of all labels each time and looks that up.
 */
export class Tally<Label extends string> {
  private readonly root: NestedMaps<number> = new Map();

  constructor(private readonly names: readonly Label[]) {
    if (names.length === 0) throw new Error('a tally is kept by labels');
  }

  /** `values`: one for each label, in the order of `labelNames`. */
  add(by: number, ...values: string[]): void {
    const level = innermost(this.root, values);
    const value = values.at(-1) ?? '';
    level.set(value, (level.get(value) ?? 0) + by);
  }

  /** Yields each count with its labels. */
  *counts(): Generator<{ labels: Record<Label, string>; value: number }> {
    yield* this.walk(this.root, []);
  }

  private *walk(
    level: NestedMaps<number>,
    above: readonly string[],
  ): Generator<{ labels: Record<Label, string>; value: number }> {
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
