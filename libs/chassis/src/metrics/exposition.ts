import { AggregatorRegistry, Registry } from 'prom-client';
import type { Metrics } from './metrics.js';
import { processRegistry } from './process-metrics.js';

export const EXPOSITION_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** Milliseconds for which readers get the same text; Prometheus scrapes every few seconds at most. */
const KEEP_MS = 1000;

/** One text with the metrics of all services of a process, each with its label, and those of the process itself. */
export async function exposition(services: Iterable<Metrics>): Promise<string> {
  const families = await Promise.all([...services].map(({ registry }) => registry.getMetricsAsJSON()));
  // Every series has its service as a label, so nothing is summed across services.
  const merged = AggregatorRegistry.aggregate(families);
  return `${await processRegistry().metrics()}${await merged.metrics()}`;
}

/** Caches the exposition: collecting blocks the process for a moment and queries the database, so many readers share one result. */
export class Scrapes {
  private answer: Promise<string> | undefined;
  private until = 0;

  constructor(
    private readonly gather: () => Promise<string>,
    /** Monotonic clock in milliseconds. */
    private readonly now: () => number,
  ) {}

  read(): Promise<string> {
    if (this.answer && this.now() < this.until) return this.answer;
    const answer = this.gather();
    this.answer = answer;
    // While collecting is under way, all later readers wait for it, however long it takes.
    this.until = Infinity;
    answer.then(
      () => (this.until = this.now() + KEEP_MS),
      () => (this.answer = undefined),
    );
    return answer;
  }
}
