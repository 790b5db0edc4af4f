import { Histogram, type Registry } from 'prom-client';
import { innermost, type NestedMaps } from './nested-maps.js';

interface Series {
  /** Values of the labels, in the order of `labelNames`. */
  readonly values: readonly string[];
  /**
   * Number of durations per bucket (not cumulative): at most as long as the bucket's bound and longer than the one before. The last counts
   * those above all bounds.
   */
  readonly counts: number[];
  sum: number;
}

interface Line {
  metricName: string;
  labels: Record<string, string | number>;
  sharedLabels: Record<string, string>;
  value: number;
}

interface Parts<Label extends string> {
  name: string;
  help: string;
  labelNames: Label[];
  /** Upper bounds in seconds, ascending. */
  buckets: number[];
  registry: Registry;
}

/**
 * A histogram for durations that are recorded with every request. A histogram of prom-client is slower: it builds a string of all labels,
 * and one of the bound, each time.
 */
export class Durations<Label extends string> extends Histogram<Label> {
  private readonly root: NestedMaps<Series> = new Map();
  private readonly all: Series[] = [];

  constructor(private readonly parts: Parts<Label>) {
    const { name, help, labelNames, buckets, registry } = parts;
    super({ name, help, labelNames, buckets, registers: [registry] });
  }

  /** `values`: one for each label, in the order of `labelNames`. */
  add(seconds: number, ...values: string[]): void {
    const level = innermost(this.root, values);
    const value = values.at(-1) ?? '';
    let series = level.get(value);
    if (!series) level.set(value, (series = this.begin(values)));
    const { buckets } = this.parts;
    let at = 0;
    while (at < buckets.length && seconds > (buckets[at] ?? 0)) at += 1;
    series.counts[at] = (series.counts[at] ?? 0) + 1;
    series.sum += seconds;
  }

  /** prom-client calls this to read the histogram for any output format. */
  getForPromString(): Promise<object> {
    const { name, help } = this.parts;
    const values = this.all.flatMap((series) => this.linesOf(series));
    return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values });
  }

  private begin(values: readonly string[]): Series {
    const series = { values, counts: Array.from({ length: this.parts.buckets.length + 1 }, () => 0), sum: 0 };
    this.all.push(series);
    return series;
  }

  private linesOf({ values, counts, sum }: Series): Line[] {
    const { name, labelNames, buckets } = this.parts;
    const sharedLabels = Object.fromEntries(labelNames.map((label, at) => [label, values[at] ?? '']));
    let count = 0;
    const lines: Line[] = counts.map((more, at) => {
      count += more;
      return { metricName: `${name}_bucket`, labels: { le: buckets[at] ?? '+Inf' }, sharedLabels, value: count };
    });
    lines.push({ metricName: `${name}_sum`, labels: {}, sharedLabels, value: sum });
    lines.push({ metricName: `${name}_count`, labels: {}, sharedLabels, value: count });
    return lines;
  }
}
