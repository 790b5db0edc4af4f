import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import * as contracts from '@tollgate/contracts';
import { CHART, faultsOf, type KubeObject, named, renderChart } from './rendered-chart.js';
import { findProgram, missing } from './programs.js';

const helm = findProgram('helm', 'HELM');
if (helm === undefined) missing('the ways of the chart are not rendered, because there is no helm', 'HELM');

const SERVICES = ['gateway', 'identity', 'billing', 'channel', 'relay', 'logging'];
const EXAMPLES = readdirSync(join(CHART, 'examples')).map((name) => `examples/${name}`);
const SECURED = ['examples/secured.yaml'];

const render = (files: readonly string[], settings: readonly string[] = []): KubeObject[] =>
  renderChart(helm ?? '', files, settings);

(helm ? describe : describe.skip)('the network paths of helm/tollgate', () => {
  it('routes model calls directly to the relay', () => {
    const ingress = named(render(['examples/ingress.yaml']), 'Ingress', '');
    const rules = ingress.spec?.['rules'] as {
      http: { paths: { path: string; backend: { service: { name: string } } }[] };
    }[];
    const paths = rules[0]?.http.paths ?? [];
    const behind = (path: string): string | undefined =>
      paths
        .filter((one) => path === one.path || path.startsWith(one.path.replace(/\/?$/, '/')))
        .sort((a, b) => b.path.length - a.path.length)[0]
        ?.backend.service.name.replace('here-tollgate-', '');
    for (const { path, owner } of contracts.allRoutes) {
      const isModelCall = /^\/v1(beta)?\//.test(path) && owner === 'relay';
      expect([path, behind(path)]).toEqual([path, isModelCall ? 'relay' : 'gateway']);
    }
    expect(ingress.metadata.annotations).toMatchObject({
      'nginx.ingress.kubernetes.io/proxy-buffering': 'off',
      'cert-manager.io/cluster-issuer': 'letsencrypt',
    });
    const route = named(render(SECURED), 'HTTPRoute', '').spec?.['rules'] as {
      matches: { path: { value: string } }[];
      backendRefs: { name: string }[];
    }[];
    expect(route.map((rule) => [rule.matches[0]?.path.value, rule.backendRefs[0]?.name])).toEqual(
      paths.map(({ path, backend }) => [path, backend.service.name]),
    );
  });

  it('allows calls between services exactly as the code makes them', () => {
    const objects = render(SECURED);
    const calls = Object.entries<unknown>(contracts).filter(
      (entry): entry is [string, contracts.InternalCall] =>
        typeof entry[1] === 'object' &&
        entry[1] !== null &&
        'input' in entry[1] &&
        'output' in entry[1] &&
        'service' in entry[1],
    );
    expect(calls.length).toBeGreaterThan(15);
    const asks = (service: string, callee: string): boolean => {
      if (service === 'gateway') return callee !== 'gateway';
      // Every service reads the options from identity.
      if (callee === 'identity') return service !== 'identity';
      const names = calls.filter(([, call]) => call.service === callee).map(([name]) => name);
      return service !== callee && names.some((name) => mentions(service, name));
    };
    for (const callee of SERVICES) {
      const { ingress } = named(objects, 'NetworkPolicy', `-${callee}`).spec as {
        ingress: { from?: { podSelector?: { matchLabels: Record<string, string> } }[] }[];
      };
      const allowed = ingress.flatMap(({ from = [] }) =>
        from.flatMap(({ podSelector }) => podSelector?.matchLabels['app.kubernetes.io/component'] ?? []),
      );
      // The pod of `helm test` is not a service.
      const services = allowed.filter((who) => who !== 'gateway-test');
      expect([callee, services.sort()]).toEqual([callee, SERVICES.filter((service) => asks(service, callee)).sort()]);
    }
  });

  it.each([
    ['https://columns.example.com:8443', 8443],
    ['http://columns', 80],
    ['https://columns/', 443],
  ])('allows connections to a ClickHouse at %s from logging and the migration only', (url, port) => {
    const objects = render(SECURED, [`clickhouse.url=${url}`]);
    const goesThere = (service: string): boolean => {
      const { egress } = named(objects, 'NetworkPolicy', `-${service}`).spec as {
        egress: { ports?: { port: number }[] }[];
      };
      return egress.some(({ ports = [] }) => ports.some((one) => one.port === port));
    };
    expect([...SERVICES, 'migrate'].filter(goesThere)).toEqual(['logging', 'migrate']);
  });

  it('has examples that trust and admit the proxy only', () => {
    for (const file of EXAMPLES) {
      const objects = render([file]);
      const trusted = named(objects, 'ConfigMap', '').data?.['TOLLGATE_TRUSTED_PROXIES'] ?? '';
      const wide = trusted.split(',').filter((range) => range !== '' && Number(range.split('/')[1] ?? 32) < 24);
      expect([file, wide]).toEqual([file, []]);
      if (trusted === '') continue;
      for (const service of ['gateway', 'relay']) {
        const { ingress } = named(objects, 'NetworkPolicy', `-${service}`).spec as { ingress: { from?: object[] }[] };
        expect([file, service, ingress.filter(({ from = [] }) => from.length === 0)]).toEqual([file, service, []]);
      }
    }
  });

  it('blocks internal and carrier-grade addresses for calls to addresses that users enter', () => {
    const { egress } = named(render(SECURED), 'NetworkPolicy', '-relay').spec as {
      egress: { to?: { ipBlock?: { cidr: string; except?: string[] } }[] }[];
    };
    const world = egress.flatMap(({ to = [] }) => to).find(({ ipBlock }) => ipBlock?.cidr === '0.0.0.0/0');
    expect(world?.ipBlock?.except?.sort()).toEqual(
      ['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'].sort(),
    );
  });

  it('preserves client addresses at a load balancer, and limits its source ranges', () => {
    const ranges = ['203.0.113.0/24', '2001:db8::/32'];
    const settings = [
      ...['service.type=LoadBalancer', 'service.externalTrafficPolicy=Local'],
      `service.loadBalancerSourceRanges={${ranges.join(',')}}`,
    ];
    const [plain, guarded] = [render(SECURED), render(SECURED, settings)];
    expect(guarded.flatMap(faultsOf)).toEqual([]);
    for (const service of ['-gateway', '-relay']) {
      const wanted = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', loadBalancerSourceRanges: ranges };
      expect(named(guarded, 'Service', service).spec).toMatchObject(wanted);
      const { spec = {} } = named(plain, 'Service', service);
      expect(Object.keys(spec).sort()).toEqual(['ports', 'selector', 'type']);
    }
    expect(() => render(SECURED, ['service.externalTrafficPolicy=Local'])).toThrow(/a ClusterIP has none/);
    expect(() => render(SECURED, ['service.type=NodePort', 'service.loadBalancerSourceRanges={10.0.0.0/8}'])).toThrow(
      /only a LoadBalancer keeps others out/,
    );
  });

  it('admits the pod of `helm test` when clients are restricted', () => {
    const objects = render(['examples/ingress.yaml']);
    const labels = named(objects, 'Pod', '-test').metadata.labels ?? {};
    const { ingress } = named(objects, 'NetworkPolicy', '-gateway').spec as {
      ingress: { ports: { port: string }[]; from?: { podSelector?: { matchLabels: Record<string, string> } }[] }[];
    };
    const doors = ingress.filter(({ ports }) => ports.some(({ port }) => port === 'http')).flatMap(({ from }) => from);
    const admits = (door: (typeof doors)[number]): boolean => {
      const wanted = Object.entries(door?.podSelector?.matchLabels ?? {});
      return wanted.length > 0 && wanted.every(([name, value]) => labels[name] === value);
    };
    expect(doors.some(admits)).toBe(true);
    expect(doors.some((door) => !admits(door))).toBe(true);
  });
});

/** Whether the code of a service, excluding tests, uses a name. */
function mentions(service: string, name: string): boolean {
  const folder = resolve(import.meta.dirname, '../../services', service, 'src');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .some((file) => new RegExp(`\\b${name}\\b`).test(readFileSync(join(folder, file), 'utf8')));
}
