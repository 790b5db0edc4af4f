import { AggregatorRegistry, Registry } from 'prom-client';
import type { Metrics } from './metrics.js';
import { processRegistry } from './process-metrics.js';

export const EXPOSITION_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** One text of all services of a process, each under its label, and of the process itself. */
export async function exposition(services: Iterable<Metrics>): Promise<string> {
  const families = await Promise.all([...services].map(({ registry }) => registry.getMetricsAsJSON()));
  // Every series has the label of its service, so nothing is ever summed over two of them.
  const merged = AggregatorRegistry.aggregate(families);
  return `${await processRegistry().metrics()}${await merged.metrics()}`;
}
