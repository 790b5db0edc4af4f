import { describe, expect, it } from '@jest/globals';
import { faultsOf, type KubeObject, named, podSpecOf, readYaml, renderChart } from './rendered-chart.js';
import { findProgram, missing } from './programs.js';

const helm = findProgram('helm', 'HELM');
if (helm === undefined) missing('values of the chart are not tried, because there is no helm', 'HELM');

const MINIMAL = 'examples/minimal.yaml';
const SECURED = 'examples/secured.yaml';

const render = (values: object, file = MINIMAL): KubeObject[] => renderChart(helm ?? '', [file], [], { values });
const configOf = (values: object, file = MINIMAL): Record<string, string> =>
  named(render(values, file), 'ConfigMap', '').data ?? {};

interface Names {
  propertyNames: { not: { enum: string[] } };
}
interface Schema {
  properties: { config: Names };
  definitions: { environment: Names };
}
interface Egress {
  ports?: { port: number }[];
  to?: { ipBlock?: { cidr: string; except?: string[] } }[];
}
const waysOut = (values: object, service: string, file = SECURED): Egress[] =>
  (named(render(values, file), 'NetworkPolicy', `-${service}`).spec as { egress: Egress[] }).egress;

/** Values that set every variable which has a value of its own in the chart. */
const WHOLE = {
  kafka: {
    ...{ topicPrefix: 'a.', tls: true, ca: { secret: 'ca' } },
    sasl: { mechanism: 'plain', username: 'a', password: 'b' },
  },
  redis: { ca: { secret: 'ca' } },
  clickhouse: { url: 'http://columns:8123', user: 'a', password: 'b', ca: { secret: 'ca' } },
  secretKey: { next: { value: 'n'.repeat(32) }, previous: { value: 'p'.repeat(32) } },
  setupToken: { value: 'token-of-the-set-up' },
  trustedProxies: '10.0.0.1',
  address: 'https://tollgate.example.com',
  telemetry: { endpoint: 'http://collector:4318' },
};

(helm ? describe : describe.skip)('the values of helm/tollgate', () => {
  it('reach the services unchanged, also large numbers and booleans', () => {
    const values = {
      TOLLGATE_IDEMPOTENCY_MB: 1_000_000,
      LOG_REQUESTS: true,
      FORCE_STREAM_OPTION: false,
      LOG_LEVEL: 'warn',
    };
    const shown = { ...values, TOLLGATE_IDEMPOTENCY_MB: '1000000', LOG_REQUESTS: 'on', FORCE_STREAM_OPTION: 'off' };
    expect(configOf({ config: values })).toMatchObject(shown);
    const objects = render({ services: { relay: { env: values } } });
    const relay = podSpecOf(named(objects, 'StatefulSet', '-relay'))?.containers[0]?.env;
    for (const [name, value] of Object.entries(shown)) expect(relay).toContainEqual({ name, value });
    const scaled = render({
      migrate: { activeDeadlineSeconds: 2_000_000 },
      services: { billing: { keda: { enabled: true, lagThreshold: 1_000_000 } } },
    });
    expect(named(scaled, 'ScaledObject', '-billing').spec).toMatchObject({
      triggers: [{ metadata: { lagThreshold: '1000000' } }],
    });
    expect(scaled.flatMap(faultsOf)).toEqual([]);
  });

  it('can be set in one place only', () => {
    const objects = render(WHOLE);
    const own = ['ConfigMap', 'Secret'].flatMap((kind) => {
      const { data = {} } = named(objects, kind, '');
      return Object.keys(data);
    });
    expect(own).toEqual(expect.arrayContaining(['CLICKHOUSE_PASSWORD', 'KAFKA_BROKERS', 'TOLLGATE_SETUP_TOKEN']));
    const schema = readYaml('values.schema.json') as Schema;
    const { config } = schema.properties;
    const refused = [config, schema.definitions.environment].flatMap(({ propertyNames }) => propertyNames.not.enum);
    expect(own.filter((name) => !refused.includes(name))).toEqual([]);
  });

  it.each(['5Gi', '5000M', '1.5Gi', '.5Ti', '2Pi', '5000000000', '5e9'])(
    'accept sizes in the notation of Kubernetes: %s',
    (size) => {
      const objects = render({ spool: { size } });
      expect(objects.flatMap(faultsOf)).toEqual([]);
      expect(named(objects, 'StatefulSet', '-relay').spec).toMatchObject({
        volumeClaimTemplates: [{ spec: { resources: { requests: { storage: size } } } }],
      });
    },
  );

  it('extend the resource attributes of traces', () => {
    const objects = render({ config: { OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=production' } });
    expect(podSpecOf(named(objects, 'Deployment', '-billing'))?.containers[0]?.env).toContainEqual({
      name: 'OTEL_RESOURCE_ATTRIBUTES',
      value: 'k8s.pod.name=$(POD_NAME),k8s.namespace.name=ai,deployment.environment.name=production',
    });
  });

  it('accept null, which removes a default of the chart', () => {
    expect(configOf({ config: null })).toEqual(configOf({}));
    const { spec } = named(
      render({ podSecurityContext: { runAsUser: null, runAsGroup: null } }),
      'StatefulSet',
      '-relay',
    );
    const { securityContext } = (spec?.['template'] as { spec: { securityContext: object } }).spec;
    expect(Object.keys(securityContext)).not.toContain('runAsUser');
  });

  it('mount volumes of the operator, in one service or in all', () => {
    const volumes = [{ name: 'seals', persistentVolumeClaim: { claimName: 'seals' } }];
    const volumeMounts = [{ name: 'seals', mountPath: '/seals' }];
    const env = { TOLLGATE_SEAL_FILE: '/seals/heads' };
    const objects = render({ services: { billing: { volumes, volumeMounts, env } } });
    expect(objects.flatMap(faultsOf)).toEqual([]);
    const having = objects.filter((object) => podSpecOf(object)?.volumes?.some(({ name }) => name === 'seals'));
    expect(having.map(({ metadata }) => metadata.name)).toEqual(['here-tollgate-billing']);
    expect(having.map((object) => podSpecOf(object)?.containers[0]?.volumeMounts)).toEqual([
      expect.arrayContaining(volumeMounts),
    ]);
  });

  it('allow connections to brokers at their configured ports', () => {
    const ports = (brokers: string): unknown[] =>
      waysOut({ kafka: { brokers } }, 'logging').flatMap(({ ports: some = [] }) => some.map(({ port }) => port));
    expect(ports('a:19093,b:19093,c:29093').filter((port) => port === 19093 || port === 29093)).toEqual([19093, 29093]);
    expect(ports('a:9093').filter((port) => port === 9093)).toEqual([9093]);
  });

  it('exclude internal IPv4 and IPv6 ranges separately', () => {
    const blocks = (outboundExcept?: string[]): unknown[] =>
      waysOut({ networkPolicy: { ...(outboundExcept && { outboundExcept }) } }, 'relay')
        .flatMap(({ to = [] }) => to)
        .filter(({ ipBlock }) => ['0.0.0.0/0', '::/0'].includes(ipBlock?.cidr ?? ''));
    expect(blocks(['10.0.0.0/8', 'fd00::/8'])).toEqual([
      { ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } },
      { ipBlock: { cidr: '::/0', except: ['fd00::/8'] } },
    ]);
    const inside = { ipBlock: { cidr: '::/0', except: ['fc00::/7', 'fe80::/10'] } };
    expect(blocks([])).toEqual([{ ipBlock: { cidr: '0.0.0.0/0' } }, inside]);
    expect(blocks()).toContainEqual(inside);
  });

  it.each([
    ['a Redis in the place of PostgreSQL', { postgresql: { url: 'redis://redis:6379' } }],
    ['a PostgreSQL in the place of Redis', { redis: { url: 'postgres://a:b@c/d' } }],
    ['fewest replicas above the most', { services: { relay: { autoscaling: { enabled: true, minReplicas: 20 } } } }],
    [
      'the same of who reads events',
      { services: { billing: { keda: { enabled: true, minReplicas: 9, maxReplicas: 4 } } } },
    ],
    ['a password of ClickHouse among the settings', { config: { CLICKHOUSE_PASSWORD: 'secret' } }],
    ['brokers among the settings', { config: { KAFKA_BROKERS: 'kafka:9092' } }],
    ['a name that no object can have', { fullnameOverride: 'Tollgate.One' }],
    ['certificates of brokers that nobody asks for one', { kafka: { ca: { configMap: 'company' } } }],
    ['a volume without room', { spool: { size: '0' } }],
    ['a volume smaller than the spool may get', { spool: { size: '4Gi' }, config: { TOLLGATE_SPOOL_LIMIT_MB: 8192 } }],
    [
      'the same for relays without a volume of their own',
      { spool: { persistent: false }, services: { relay: { env: { TOLLGATE_SPOOL_LIMIT_MB: '4096' } } } },
    ],
    ['the same in another unit', { spool: { size: '0.0Gi' } }],
    ['a set-up token that services would refuse', { setupToken: { value: 'short' } }],
  ])('refuse %s', (_what, values) => {
    expect(() => render(values)).toThrow();
  });

  it.each(['my.release', 'l'.repeat(53)])('give valid names to objects: release %s', (release) => {
    const objects = renderChart(helm ?? '', [MINIMAL], [], { release });
    const services = objects.filter(({ kind }) => kind === 'Service').map(({ metadata }) => metadata.name);
    expect(services.filter((name) => !/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name))).toEqual([]);
  });

  it('refuse a release name that is invalid for a Service, unless another name is set', () => {
    const rendered = (values: object) => renderChart(helm ?? '', [MINIMAL], [], { values, release: '1st' });
    expect(() => rendered({})).toThrow(/fullnameOverride/);
    expect(rendered({ fullnameOverride: 'first' }).map(({ metadata }) => metadata.name)).toContain('first-relay');
  });

  it('keep the volume size in larger sizes, because an upgrade cannot change it', () => {
    const [large, small] = ['large', 'small'].map((size) => readYaml(`sizes/${size}.yaml`) as Record<string, unknown>);
    expect(large?.['spool']).toEqual(small?.['spool']);
  });
});
