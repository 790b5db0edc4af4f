import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { collectDefaultMetrics, Registry } from 'prom-client';

const ROOT = resolve(import.meta.dirname, '../..');
const MADE =
  /(?:\.(counter|tally|gauge|reading|led|histogram|durations|measured)\(|new (Gauge|Counter)\(\{\s*name:)\s*'(tollgate_[a-z0-9_]+)'/g;
/** What Prometheus makes of a histogram. */
const PARTS = ['_bucket', '_sum', '_count'];

/** Code of the product, without tests. */
const isSource = (file: string): boolean =>
  /\/src\/.*\.ts$/.test(file) && !file.includes('node_modules') && !/[.-]spec\.ts$/.test(file);

const sourcesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(isSource)
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8'));

/** The names that processes expose: ours as the code makes them, and those of the client library. */
export function exposedMetrics(): Set<string> {
  const ours = ['libs', 'services']
    .flatMap(sourcesIn)
    .flatMap((source) => [...source.matchAll(MADE)])
    .flatMap(([, kind, , name = '']) =>
      (kind === 'histogram' || kind === 'durations' ? PARTS : ['']).map((part) => `${name}${part}`),
    );
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return new Set([...ours, ...registry.getMetricsAsArray().map(({ name }) => name)]);
}

/** The metrics that a query of Prometheus reads. */
export const metricsOf = (query: string): string[] => [
  ...new Set([...query.matchAll(/\b(?:tollgate|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name)),
];
