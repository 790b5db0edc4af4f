import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { alertCases } from './alert-cases.js';
import { exposedMetrics, labelsIn, labelsOfMetrics, metricsOf } from './metrics.js';
import { findProgram, missing } from './programs.js';
import { CHART, named, readYaml, renderChart } from './rendered-chart.js';

const RUNBOOKS = resolve(CHART, '../../docs/runbooks');
const RULES = 'alerts/tollgate.rules.yaml';

interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: { runbook_url: string }; labels: object }[] }[];
}
interface Dashboard {
  uid: string;
  panels: { title: string; targets: { expr: string }[] }[];
  templating: { list: { name: string; type: string; query: string; regex?: string }[] };
}

const rules = (readYaml(RULES) as Rules).groups.flatMap(({ rules: all }) => all);
const dashboards = readdirSync(join(CHART, 'dashboards')).map((name) => {
  const text = readFileSync(join(CHART, 'dashboards', name), 'utf8');
  return { name, dashboard: JSON.parse(text) as Dashboard };
});
const exposed = exposedMetrics();
const unknownIn = (query: string): string[] => metricsOf(query).filter((name) => !exposed.has(name));

const labels = labelsOfMetrics();
const foreignLabelsIn = (query: string): string[] =>
  labelsIn(query).flatMap(({ metric, labels: asked }) =>
    asked.filter((name) => !labels.get(metric)?.has(name)).map((name) => `${metric}{${name}}`),
  );

const helm = findProgram('helm', 'HELM');
if (helm === undefined) missing('rules are not read as the chart renders them, because there is no helm', 'HELM');
const promtool = findProgram('promtool', 'PROMTOOL');
if (promtool === undefined)
  missing('alert rules are not tried, because there is no promtool (Debian: package prometheus)', 'PROMTOOL');

describe('the alerts of the chart', () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))('%s reads metrics that exist', (_alert, rule) => {
    expect(metricsOf(rule.expr).length).toBeGreaterThan(0);
    expect(unknownIn(rule.expr)).toEqual([]);
    expect(foreignLabelsIn(rule.expr)).toEqual([]);
  });

  it.each(rules.map((rule) => [rule.alert, rule] as const))('%s has a runbook that names it', (alert, rule) => {
    const file = join(RUNBOOKS, rule.annotations.runbook_url.replace('RUNBOOKS/', ''));
    expect([file, existsSync(file)]).toEqual([file, true]);
    expect(readFileSync(file, 'utf8')).toContain(alert);
  });

  it('all have a test case, and every runbook belongs to an alert', () => {
    expect([...new Set(alertCases.map(({ alert }) => alert))].sort()).toEqual(rules.map(({ alert }) => alert).sort());
    const used = new Set(rules.map(({ annotations }) => annotations.runbook_url.replace('RUNBOOKS/', '')));
    const pages = readdirSync(RUNBOOKS).filter((name) => name !== 'README.md');
    expect(pages.sort()).toEqual([...used].sort());
  });

  (promtool ? it : it.skip)('fire when they should, and are silent while all is well', () => {
    const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
    const quiet = alertCases.flatMap(({ well }) => well);
    const firing = (alert: string): string => `count(ALERTS{alertname="${alert}",alertstate="firing"})`;
    const tests = [
      ...alertCases.map(({ alert, ill, at = '20m' }) => ({
        name: alert,
        interval: '1m',
        input_series: ill,
        promql_expr_test: [{ expr: firing(alert), eval_time: at, exp_samples: [{ labels: '{}', value: 1 }] }],
      })),
      ...alertCases.map(({ alert, well }) => ({
        name: `no ${alert}`,
        interval: '1m',
        input_series: well,
        promql_expr_test: [{ expr: firing(alert), eval_time: '70m', exp_samples: [] }],
      })),
    ];
    expect(quiet.length).toBeGreaterThan(0);
    try {
      const file = join(folder, 'test.json');
      writeFileSync(file, JSON.stringify({ rule_files: [join(CHART, RULES)], evaluation_interval: '1m', tests }));
      expect(() =>
        execFileSync(promtool ?? '', ['check', 'rules', join(CHART, RULES)], { stdio: 'pipe' }),
      ).not.toThrow();
      expect(told(promtool ?? '', ['test', 'rules', file])).toContain('SUCCESS');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

(helm ? describe : describe.skip)('the alerts as the chart renders them', () => {
  interface Rendered {
    groups: {
      rules: {
        alert: string;
        expr: string;
        labels: { namespace?: string; severity: string };
        annotations: { runbook_url?: string };
      }[];
    }[];
  }
  const rendered = (settings: string[] = []) => {
    const objects = renderChart(helm ?? '', ['examples/minimal.yaml'], ['monitoring.rules=true', ...settings]);
    return named(objects, 'PrometheusRule', '').spec as unknown as Rendered;
  };

  it('select only the pods of their release, and carry its name', () => {
    const spec = rendered();
    for (const { alert, expr, labels: own } of spec.groups.flatMap(({ rules: all }) => all)) {
      const told = expr.matchAll(/\{namespace="ai",pod=~"here-tollgate-\([a-z|]+\)-\.\+"/g);
      expect([alert, [...told].length]).toEqual([alert, readsOf(expr)]);
      expect(own).toMatchObject({ namespace: 'ai', release: 'here-tollgate', severity: expect.any(String) });
    }
    const folder = mkdtempSync(join(tmpdir(), 'rendered-'));
    try {
      writeFileSync(join(folder, 'rules.json'), JSON.stringify(spec));
      if (promtool !== undefined)
        expect(told(promtool, ['check', 'rules', join(folder, 'rules.json')])).toContain('SUCCESS');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  (promtool ? it : it.skip)('do not mistake the pods of another release of their namespace for their own', () => {
    const folder = mkdtempSync(join(tmpdir(), 'releases-'));
    const up = (pod: string, values: string): object => ({
      series: `tollgate_service_up{namespace="ai",pod="${pod}",service="relay"}`,
      values,
    });
    const gone = 'ALERTS{alertname="TollgateServiceAbsent",alertstate="firing"}';
    const test = (there: object[], samples: object[]): object => ({
      interval: '1m',
      input_series: there,
      promql_expr_test: [{ expr: `count by (release) (${gone})`, eval_time: '40m', exp_samples: samples }],
    });
    const fires = { labels: '{release="here-tollgate"}', value: 1 };
    try {
      writeFileSync(join(folder, 'rules.json'), JSON.stringify(rendered()));
      const tests = [
        // A pod of the other release does not replace a lost one,
        test([up('here-tollgate-relay-0', '1x20 stale'), up('here-tollgate-two-relay-0', '1x60')], [fires]),
        // and losing it does not raise the alert of this release.
        test([up('here-tollgate-relay-0', '1x60'), up('here-tollgate-two-relay-0', '1x20 stale')], []),
      ];
      const file = join(folder, 'test.json');
      writeFileSync(
        file,
        JSON.stringify({ rule_files: [join(folder, 'rules.json')], evaluation_interval: '1m', tests }),
      );
      expect(told(promtool ?? '', ['test', 'rules', file])).toContain('SUCCESS');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('link to the runbooks only where these are', () => {
    const linksOf = (settings: string[]) =>
      rendered(settings).groups.flatMap(({ rules: all }) => all.map(({ annotations }) => annotations.runbook_url));
    expect(new Set(linksOf([]))).toEqual(new Set([undefined]));
    const links = linksOf(['monitoring.runbooks=https://wiki.example/runbooks']);
    for (const link of links) expect(link).toMatch(/^https:\/\/wiki\.example\/runbooks\/[a-z-]+\.md$/);
  });

  it('equal the rules of the file when no namespace is given', () => {
    const plain = rendered(['monitoring.ownNamespace=false']).groups.flatMap(({ rules: all }) => all);
    expect(plain.map(({ alert, expr }) => [alert, expr])).toEqual(rules.map(({ alert, expr }) => [alert, expr]));
  });
});

describe('the dashboards of the chart', () => {
  it('are the five documented ones', () => {
    expect(dashboards.map(({ name }) => name).sort()).toEqual(
      ['channels', 'events', 'money', 'relay', 'tenants'].map((name) => `${name}.json`),
    );
    expect(new Set(dashboards.map(({ dashboard }) => dashboard.uid)).size).toBe(5);
  });

  it.each(dashboards.map(({ name, dashboard }) => [name, dashboard] as const))(
    '%s queries metrics that exist',
    (_name, dashboard) => {
      const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
      const asking = dashboard.templating.list.filter(({ type }) => type === 'query');
      const variables = asking.map(({ query }) => query);
      for (const query of [...queries, ...variables]) {
        expect([query, metricsOf(query).length > 0]).toEqual([query, true]);
        expect([query, unknownIn(query), foreignLabelsIn(query)]).toEqual([query, [], []]);
        // This query lists the releases themselves.
        if (query.startsWith('label_values(tollgate_service_up')) continue;
        const told = query.matchAll(/\{namespace=~"\$namespace",pod=~"\$release\$pods"/g);
        expect([query, [...told].length]).toEqual([query, readsOf(query)]);
      }
    },
  );

  it.each(dashboards.map(({ name, dashboard }) => [name, dashboard] as const))(
    '%s separates the releases of a namespace by pod name',
    (_name, { templating: { list } }) => {
      const textOf = (name: string, what: 'query' | 'regex'): string =>
        list.find((variable) => variable.name === name)?.[what] ?? '';
      const release = new RegExp(textOf('release', 'regex').slice(1, -1));
      const pods = ['one-relay-0', 'one-billing-6d4cf56db6-x7k2p', 'one-two-relay-0', 'one-two-gateway-5c9d-abcde'];
      expect(pods.map((pod) => release.exec(pod)?.[1])).toEqual(['one', 'one', 'one-two', 'one-two']);
      const shown = (chosen: string): string[] =>
        ['', ...pods].filter((pod) => new RegExp(`^(?:${chosen}${textOf('pods', 'query')})$`).test(pod));
      expect([shown('one'), shown('one-two')]).toEqual([pods.slice(0, 2), pods.slice(2)]);
      // `.*` also matches series without the label.
      expect(shown('.*')).toEqual(['', ...pods]);
    },
  );

  it('are checked for labels that no metric has', () => {
    const asked = 'sum by (owner) (rate(tollgate_relay_requests_total{outcomes="failed",service="relay"}[5m]))';
    expect(foreignLabelsIn(asked)).toEqual([
      'tollgate_relay_requests_total{outcomes}',
      'tollgate_relay_requests_total{owner}',
    ]);
    expect(foreignLabelsIn('tollgate_build_info{version="1",service="relay"}')).toEqual([
      'tollgate_build_info{service}',
    ]);
    expect([...labels.keys()].sort()).toEqual([...exposed].filter((name) => name.startsWith('tollgate_')).sort());
  });

  it('are checked for metrics that do not exist', () => {
    expect(unknownIn('rate(tollgate_relay_request_total[5m])')).toEqual(['tollgate_relay_request_total']);
    expect(unknownIn('tollgate_relay_first_token_seconds')).toEqual(['tollgate_relay_first_token_seconds']);
  });
});

describe('docs/observability.md', () => {
  it('names every metric that Tollgate exposes', () => {
    const page = readFileSync(resolve(CHART, '../../docs/observability.md'), 'utf8');
    const names = [...exposed]
      .filter((name) => name.startsWith('tollgate_'))
      .map((name) => name.replace(/_(bucket|sum|count)$/, ''));
    expect([...new Set(names)].filter((name) => !page.includes(name))).toEqual([]);
  });
});

describe('pages for operators', () => {
  const docs = resolve(CHART, '../../docs');
  const runbooks = readdirSync(RUNBOOKS).map((name) => join(RUNBOOKS, name));
  const named = ['slo.md', 'operations.md', 'observability.md', 'faults.md'].map((name) => join(docs, name));
  // A page may name a histogram without the suffix of a series.
  const families = new Set([...exposed].map((name) => name.replace(/_(bucket|sum|count)$/, '')));

  it.each([...named, ...runbooks, join(CHART, 'README.md')])('%s names metrics that exist', (page) => {
    const names = [...readFileSync(page, 'utf8').matchAll(/\btollgate_[a-z0-9_]+/g)].map(([name]) => name);
    expect(names.filter((name) => !exposed.has(name) && !families.has(name))).toEqual([]);
  });
});

/** Number of metrics that a query reads. */
function readsOf(query: string): number {
  return [...query.matchAll(/\b(?:tollgate|nodejs|process)_[a-z0-9_]+/g)].length;
}

/** Output of a program, whether it succeeds or not. */
function told(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    return `${(error as { stdout?: string }).stdout ?? ''}${(error as { stderr?: string }).stderr ?? ''}`;
  }
}
