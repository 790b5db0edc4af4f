import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { collectDefaultMetrics, Registry } from 'prom-client';

const ROOT = resolve(import.meta.dirname, '../..');
const MADE =
  /(?:\.(counter|tally|gauge|reading|led|histogram|durations|measured)\(|new (Gauge|Counter)\(\{\s*name:)\s*'(tollgate_[a-z0-9_]+)'/g;
/** Suffixes of the series that a histogram is exposed as. */
const PARTS = ['_bucket', '_sum', '_count'];

/** Whether a file is source code of the product and no test. */
const isSource = (file: string): boolean =>
  /\/src\/.*\.ts$/.test(file) && !file.includes('node_modules') && !/[.-]spec\.ts$/.test(file);

const sourcesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(isSource)
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8'));

/** Names of all exposed metrics: the product's own, found in the source code, and those of the client library. */
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

/** Labels that Prometheus and its service discovery add. */
const OF_TARGETS = ['namespace', 'pod', 'instance', 'job'];
/**
 * Matches the help text of a metric, or the name of a constant that holds it, and then its list of labels if it has
 * one.
 */
const LABELS = /^'?,\s*(?:'(?:[^'\\]|\\.)*'|\w+),\s*\[([^\]]*)\]/;
const LABEL_NAMES = /^[^}]*labelNames: \[([^\]]*)\]/;
const wordsIn = (list = ''): string[] => [...list.matchAll(/'(\w+)'/g)].map(([, name = '']) => name);

/** The labels of each of the product's own metrics. */
export function labelsOfMetrics(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const source of ['libs', 'services'].flatMap(sourcesIn))
    for (const match of source.matchAll(MADE)) {
      const [whole, kind, ofProcess, name = ''] = match;
      const behind = source.slice(match.index + whole.length - 1);
      const own = wordsIn((ofProcess ? LABEL_NAMES : LABELS).exec(behind)?.[1]);
      const isHistogram = kind === 'histogram' || kind === 'durations';
      for (const part of isHistogram ? PARTS : [''])
        found.set(
          `${name}${part}`,
          new Set([...own, ...OF_TARGETS, ...(ofProcess ? [] : ['service']), ...(part === '_bucket' ? ['le'] : [])]),
        );
    }
  return found;
}

/** The labels by which a query selects or groups each metric. */
export const labelsIn = (query: string): { metric: string; labels: string[] }[] => [
  ...[...query.matchAll(/\b(tollgate_[a-z0-9_]+)\{([^}]*)\}/g)].map(([, metric = '', selectors = '']) => ({
    metric,
    labels: [...selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, name = '']) => name),
  })),
  // The first metric in the aggregated expression stands for all of them.
  ...[...query.matchAll(/\bby \(([^)]*)\)\s*\((?:[^{}[\]]*?)\b(tollgate_[a-z0-9_]+)/g)].map(
    ([, labels = '', metric = '']) => ({
      metric,
      labels: labels.split(',').map((name) => name.trim()),
    }),
  ),
];

/** The metrics that a Prometheus query reads. */
export const metricsOf = (query: string): string[] => [
  ...new Set([...query.matchAll(/\b(?:tollgate|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name)),
];
