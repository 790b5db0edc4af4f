import { AggregatorRegistry, Registry } from 'prom-client';
import type { Metrics } from './metrics.js';
import { processRegistry } from './process-metrics.js';

export const EXPOSITION_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** Readers within this time get the same text; Prometheus asks every few seconds at most. */
const KEEP_MS = 1000;

/** One text of all services of a process, each under its label, and of the process itself. */
export async function exposition(services: Iterable<Metrics>): Promise<string> {
  const families = await Promise.all([...services].map(({ registry }) => registry.getMetricsAsJSON()));
  // Every series has the label of its service, so nothing is ever summed over two of them.
  const merged = AggregatorRegistry.aggregate(families);
  return `${await processRegistry().metrics()}${await merged.metrics()}`;
}

/** Gathering costs the process a pause and its database some questions, so many readers cost no more than one. */
export class Scrapes {
  private answer: Promise<string> | undefined;
  private until = 0;

  constructor(
    private readonly gather: () => Promise<string>,
    /** Monotonic milliseconds. */
    private readonly now: () => number,
  ) {}

  read(): Promise<string> {
    if (this.answer && this.now() < this.until) return this.answer;
    const answer = this.gather();
    this.answer = answer;
    // While it takes longer than that, later readers wait for it too.
    this.until = Infinity;
    answer.then(
      () => (this.until = this.now() + KEEP_MS),
      () => (this.answer = undefined),
    );
    return answer;
  }
}
