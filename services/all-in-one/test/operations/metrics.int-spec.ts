import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { type Listener, listen, openProbePort, type ProbePort } from '@tollgate/chassis';
import { readUntil, type ServiceHarness, startServices } from '@tollgate/testing';

interface Series {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const SERIES = /^(\w+)(?:\{(.*)\})? (\S+)$/;
const parse = (line: string): Series => {
  const [, name = '', labels = '', value = ''] = SERIES.exec(line) ?? [];
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]);
  return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
};

describe('the metrics of a process with all services', () => {
  let harness: ServiceHarness;
  let listener: Listener;
  let probes: ProbePort;
  let page = '';
  let series: Series[] = [];

  const get = (path: string) => fetch(`http://127.0.0.1:${listener.port}${path}`);

  beforeAll(async () => {
    harness = await startServices(allServices);
    const gateway = harness.process.services.get('gateway');
    if (!gateway) throw new Error('the gateway does not run');
    listener = await listen(gateway.app, '127.0.0.1', 0);
    await (await get('/api/status')).text();
    probes = await openProbePort(gateway.app, '127.0.0.1', 0);
    // The held quota appears after the first measurement by the leader of billing.
    page = await readUntil(
      async () => (await fetch(`http://127.0.0.1:${probes.port}/metrics`)).text(),
      (text) => text.includes('tollgate_billing_held_faults{'),
      20_000,
    );
    series = page
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map(parse);
  }, 90_000);
  afterAll(async () => {
    await probes.close();
    await listener.drain(1);
    await harness.close();
  });

  const services = (name: string): string[] =>
    [...new Set(series.filter((one) => one.name === name).map(({ labels }) => labels.service ?? ''))].sort();

  it('have one series per name and labels, each with one help text', () => {
    const keys = series.map(({ name, labels }) => `${name}${JSON.stringify(labels)}`);
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
    const explained = [...page.matchAll(/^# HELP (\w+) /gm)].map(([, name]) => name);
    expect(explained.filter((name, index) => explained.indexOf(name) !== index)).toEqual([]);
    expect(series.filter(({ name, value }) => name.startsWith('tollgate_') && Number.isNaN(value))).toEqual([]);
  });

  it('have their own port, which serves nothing else', async () => {
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(`http://127.0.0.1:${probes.port}${path}`)).status;
    expect(await Promise.all(['/healthz', '/readyz', '/metrics?x=1'].map(statusOf))).toEqual([200, 200, 200]);
    expect(await Promise.all(['/', '/api/status', '/v1/models'].map(statusOf))).toEqual([404, 404, 404]);
  });

  it('are on the public port only if the environment enables it', async () => {
    for (const path of ['/metrics', '/metrics/', '/metrics?x=1']) {
      const reply = await get(path);
      expect([reply.status, await reply.text()]).toEqual([404, expect.not.stringContaining('tollgate_')]);
    }
    const { env } = harness.host;
    const { TOLLGATE_PUBLIC_METRICS: before } = env;
    try {
      env.TOLLGATE_PUBLIC_METRICS = 'on';
      expect((await get('/metrics')).status).toBe(200);
    } finally {
      env.TOLLGATE_PUBLIC_METRICS = before;
    }
  });

  it('have the prefix of Tollgate, except those of Node and the process', () => {
    const names = [...new Set(series.map(({ name }) => name))];
    expect(names.filter((name) => !/^(tollgate|process|nodejs)_/.test(name))).toEqual([]);
    const unlabelled = series.filter(
      ({ name, labels }) => name.startsWith('tollgate_') && labels.service === undefined,
    );
    expect(unlabelled.map(({ name }) => name).sort()).toEqual([
      'tollgate_build_info',
      'tollgate_event_loop_utilization_ratio',
    ]);
  });

  it('count a request at the gateway and at the service that answers', () => {
    const counted = series.filter(
      ({ name, labels }) => name === 'tollgate_http_requests_total' && labels.operation === 'getStatus',
    );
    expect(counted.map(({ labels, value }) => [labels.service, labels.status, value]).sort()).toEqual([
      ['gateway', '200', 1],
      ['identity', '200', 1],
    ]);
  });

  it('show the backlog of each service', () => {
    const withTables = ['billing', 'channel', 'identity', 'logging'];
    expect(services('tollgate_outbox_events')).toEqual(withTables);
    expect(services('tollgate_outbox_oldest_age_seconds')).toEqual(withTables);
    const lags = series.filter(({ name }) => name === 'tollgate_consumer_lag_events');
    const groups = lags.filter(({ labels }) => labels.topic === 'request-consumed').map(({ labels }) => labels.group);
    expect(groups.sort()).toEqual(['billing', 'channel', 'logging']);
    expect(lags.every(({ value }) => value >= 0)).toBe(true);
  });

  it('show the load of the process', () => {
    const [busy] = series.filter(({ name }) => name === 'tollgate_event_loop_utilization_ratio');
    expect(busy?.value).toBeGreaterThan(0);
    expect(busy?.value).toBeLessThanOrEqual(1);
  });

  it('contain the figures about money that operators watch', () => {
    for (const name of [
      'tollgate_relay_spool_bytes',
      'tollgate_relay_spool_oldest_seconds',
      'tollgate_relay_open_holds',
      'tollgate_relay_held_quota_units',
      'tollgate_billing_held_faults',
      'tollgate_relay_spool_limit_bytes',
      'tollgate_channel_tasks_overdue_seconds',
      'tollgate_identity_deliveries_overdue_seconds',
    ]) {
      expect([name, series.filter((one) => one.name === name).length]).toEqual([name, 1]);
    }
  });

  it('are served beside the liveness and readiness probes', async () => {
    const health = (await (await get('/healthz')).json()) as { status: string; services: string[] };
    expect(health.status).toBe('ok');
    expect([...health.services].sort()).toEqual(['billing', 'channel', 'gateway', 'identity', 'logging', 'relay']);
    const ready = await get('/readyz');
    expect(ready.status).toBe(200);
    // Every answer has an id, also one that passes no application.
    expect(ready.headers.get('x-oneapi-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});
