import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readEnv, envTable } from '@tollgate/chassis';
import * as contracts from '@tollgate/contracts';
import {
  CHART,
  type Container,
  environmentOf,
  faultsOf,
  type KubeObject,
  named,
  type PodSpec,
  podSpecOf,
  renderChart,
} from './rendered-chart.js';
import { findProgram, missing } from './programs.js';

const helm = findProgram('helm', 'HELM');
if (helm === undefined) missing('the chart is not rendered, because there is no helm', 'HELM');

const SERVICES = ['gateway', 'identity', 'billing', 'channel', 'relay', 'logging'];
const LAST_WORK_SECONDS = 30;
const MINIMAL = 'examples/minimal.yaml';
const EXAMPLES = readdirSync(join(CHART, 'examples')).map((name) => [`examples/${name}`]);
const SIZES = readdirSync(join(CHART, 'sizes')).map((name) => [`sizes/${name}`, MINIMAL]);
const SECURED = ['examples/secured.yaml'];

const render = (files: readonly string[], settings: readonly string[] = []): KubeObject[] =>
  renderChart(helm ?? '', files, settings);

const workload = (objects: readonly KubeObject[], service: string): PodSpec => {
  const found = objects.find(
    ({ kind, metadata }) =>
      ['Deployment', 'StatefulSet'].includes(kind) && metadata.name === `here-tollgate-${service}`,
  );
  return podSpecOf(found as KubeObject) as PodSpec;
};

(helm ? describe : describe.skip)('helm/tollgate', () => {
  it.each([...EXAMPLES, ...SIZES])('renders %s in accordance with the schema of the Kubernetes API', (...files) => {
    const objects = render(files);
    const faults = objects.flatMap((object) =>
      faultsOf(object).map((fault) => [object.kind, object.metadata.name, fault]),
    );
    expect(faults).toEqual([]);
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('detects an object that the API server would refuse', () => {
    const [object] = render([MINIMAL]).filter(({ kind }) => kind === 'Deployment');
    expect(faultsOf({ ...object, spec: { ...object?.spec, replica: 2 } } as KubeObject)).not.toEqual([]);
    expect(faultsOf({ ...object, spec: { ...object?.spec, replicas: 'two' } } as KubeObject)).not.toEqual([]);
  });

  it('runs every service from one image, and relays on a volume of their own', () => {
    const objects = render([MINIMAL]);
    const images = objects.flatMap((object) => podSpecOf(object)?.containers.map(({ image }) => image) ?? []);
    expect(new Set(images)).toEqual(new Set(['registry.example.com/tollgate:0.1.0']));
    for (const service of SERVICES) expect(workload(objects, service).containers[0]?.args).toEqual([service]);
    const relay = named(objects, 'StatefulSet', '-relay').spec as Record<string, unknown>;
    expect(relay['volumeClaimTemplates']).toHaveLength(1);
    expect(relay['persistentVolumeClaimRetentionPolicy']).toEqual({ whenDeleted: 'Retain', whenScaled: 'Retain' });
    const without = render(['examples/without-volume.yaml']);
    expect(workload(without, 'relay').volumes).toContainEqual({ name: 'data', emptyDir: { sizeLimit: '2Gi' } });
    expect(without.some(({ kind }) => kind === 'StatefulSet')).toBe(false);
  });

  it('sets only variables that exist, to values they take', () => {
    // Variables that OpenTelemetry's packages and Node read.
    const foreign = ['NODE_ENV', 'OTEL_RESOURCE_ATTRIBUTES', 'POD_NAME'];
    const known = new Set<string>([...envTable.map(({ name }) => name), ...foreign]);
    for (const files of [...EXAMPLES, ...SIZES]) {
      const objects = render(files);
      for (const service of SERVICES) {
        const env = environmentOf(objects, workload(objects, service).containers[0] as Container);
        expect(Object.keys(env).filter((name) => !known.has(name))).toEqual([]);
        // Files of certificates and values of secrets exist in the cluster only.
        const values = Object.entries(env).filter(([name, value]) => !name.endsWith('_FILE') && value[0] !== '(');
        expect(() => readEnv(Object.fromEntries(values))).not.toThrow();
      }
    }
  });

  it('refers in a variable only to variables above it, because Kubernetes expands only those', () => {
    for (const files of [...EXAMPLES, ...SIZES]) {
      const containers = render(files).flatMap((object) => podSpecOf(object)?.containers ?? []);
      const [referring] = containers.filter(({ args: [service] = [] }) => service === 'relay');
      expect(referring?.env).toContainEqual(
        expect.objectContaining({ name: 'OTEL_RESOURCE_ATTRIBUTES', value: expect.stringContaining('$(POD_NAME)') }),
      );
      for (const { name: container, env = [] } of containers)
        env.forEach(({ name, value = '' }, at) => {
          const above = env.slice(0, at).map((one) => one.name);
          const named = [...value.matchAll(/(?<!\$)\$\(([^)]+)\)/g)].map(([, variable]) => variable);
          expect([container, name, named.filter((variable) => !above.includes(variable ?? ''))]).toEqual([
            container,
            name,
            [],
          ]);
        });
    }
  });

  it('has the address and port of every service that others call', () => {
    const objects = render([MINIMAL]);
    const env = environmentOf(objects, workload(objects, 'relay').containers[0] as Container);
    const asked = env['TOLLGATE_SERVICES']?.split(',').map((entry) => entry.split('=')) ?? [];
    expect(asked.map(([service]) => service).sort()).toEqual(SERVICES.filter((name) => name !== 'gateway').sort());
    for (const [service, address] of asked) {
      const pods = named(objects, 'Service', `-${service}-pods`);
      expect(address).toBe(`dns+http://${pods.metadata.name}:3000`);
      expect(pods.spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
    }
  });

  it('lets every pod run under the restricted Pod Security Standard', () => {
    for (const files of EXAMPLES)
      for (const object of render(files)) {
        const pod = podSpecOf(object);
        if (!pod) continue;
        expect(pod).toMatchObject({
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
        });
        expect([pod.hostNetwork, pod.hostPID]).toEqual([undefined, undefined]);
        for (const volume of pod.volumes ?? [])
          expect(
            Object.keys(volume).filter((key) => !['name', 'emptyDir', 'secret', 'configMap'].includes(key)),
          ).toEqual([]);
        for (const { securityContext, resources } of pod.containers) {
          expect(securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          expect(resources).toMatchObject({ requests: expect.any(Object), limits: { memory: expect.any(String) } });
        }
      }
  });

  it.each([
    [25, 5],
    [120, 10],
    [0, 0],
  ])('sets the grace period for a drain of %i s after a notice of %i s', (drain, notice) => {
    const objects = render([MINIMAL], [`drainSeconds=${drain}`, `noticeSeconds=${notice}`]);
    for (const service of SERVICES) {
      const pod = workload(objects, service);
      const env = readEnv(environmentOf(objects, pod.containers[0] as Container));
      expect([env.TOLLGATE_DRAIN_SECONDS, env.TOLLGATE_NOTICE_SECONDS]).toEqual([drain, notice]);
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drain + notice + LAST_WORK_SECONDS);
    }
  });

  it('probes pods at the port that closes last, and restarts no pod because a server is down', () => {
    const objects = render([MINIMAL]);
    for (const service of SERVICES) {
      const [container] = workload(objects, service).containers;
      expect(container?.readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'probes' });
      expect(container?.livenessProbe?.httpGet).toEqual({ path: '/healthz', port: 'probes' });
      const env = environmentOf(objects, container as Container);
      const ports = container?.ports?.map(({ name, containerPort }) => [name, String(containerPort)]);
      expect(ports).toEqual([
        ['http', env['PORT']],
        ['probes', env['TOLLGATE_METRICS_PORT']],
      ]);
    }
  });

  it('runs the migration first, with configuration that exists by then', () => {
    for (const files of EXAMPLES) {
      const objects = render(files);
      const job = named(objects, 'Job', '-migrate');
      const isHook = { 'helm.sh/hook': 'pre-install,pre-upgrade' };
      expect(job.metadata.annotations).toMatchObject(isHook);
      const [container] = podSpecOf(job)?.containers ?? [];
      expect(container?.args).toEqual(['migrate']);
      const sources = [
        ...(container?.envFrom ?? []).map(({ configMapRef }) => configMapRef?.name),
        ...(container?.env ?? []).map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
      ];
      for (const { metadata } of objects.filter((one) => sources?.includes(one.metadata.name) && one !== job)) {
        expect(metadata.annotations).toMatchObject(isHook);
        expect(Number(metadata.annotations?.['helm.sh/hook-weight'])).toBeLessThan(0);
      }
      const own = environmentOf(objects, container as Container);
      const containers = SERVICES.flatMap((service) => workload(objects, service).containers);
      const theirs = Object.assign({}, ...containers.map((one) => environmentOf(objects, one))) as typeof own;
      expect(theirs['TOLLGATE_MIGRATE']).toBe('never');
      expect(own).toEqual(Object.fromEntries(Object.keys(own).map((name) => [name, theirs[name]])));
    }
  });

  it('runs the migration and the test on the same nodes as the services', () => {
    const settings = [
      ...['defaults.tolerations[0].key=own', 'defaults.nodeSelector.pool=ai', 'defaults.priorityClassName=business'],
      'image.pullSecrets[0]=registry',
    ];
    const objects = render([MINIMAL], settings);
    const where = {
      nodeSelector: { pool: 'ai' },
      tolerations: [{ key: 'own' }],
      priorityClassName: 'business',
      imagePullSecrets: [{ name: 'registry' }],
    };
    for (const pod of objects.flatMap((object) => podSpecOf(object) ?? [])) expect(pod).toMatchObject(where);
  });

  it('accepts further variables from ConfigMaps and Secrets of the operator', () => {
    const objects = render([MINIMAL], ['configFrom[0].secretRef.name=collector']);
    const job = podSpecOf(named(objects, 'Job', '-migrate'));
    for (const pod of [job, ...SERVICES.map((service) => workload(objects, service))])
      expect(pod?.containers[0]?.envFrom).toContainEqual({ secretRef: { name: 'collector' } });
  });

  it('accepts existing secrets and certificates of the operator', () => {
    const objects = render(SECURED);
    expect(objects.some(({ kind }) => kind === 'Secret')).toBe(false);
    const pod = workload(objects, 'billing');
    const [container] = pod.containers;
    const env = environmentOf(objects, container as Container);
    expect(env).toMatchObject({
      KAFKA_TLS: 'on',
      KAFKA_CA_FILE: '/etc/tollgate/ca/kafka/ca.crt',
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      REDIS_CA_FILE: '/etc/tollgate/ca/redis/ca.crt',
    });
    expect(container?.env).toContainEqual({
      name: 'DATABASE_URL',
      valueFrom: { secretKeyRef: { name: 'tollgate-postgresql', key: 'DATABASE_URL' } },
    });
    expect(container?.volumeMounts?.filter(({ name }) => name.startsWith('ca-'))).toHaveLength(3);
    expect(pod.volumes).toContainEqual({
      name: 'ca-redis',
      configMap: { name: 'company-ca', items: [{ key: 'ca.crt', path: 'ca.crt' }] },
    });
  });

  it('passes the settings of ClickHouse only when the usage log is kept there', () => {
    const environment = (settings: readonly string[]) => {
      const objects = render([MINIMAL], settings);
      return environmentOf(objects, workload(objects, 'logging').containers[0] as Container);
    };
    expect(Object.keys(environment([])).filter((name) => /CLICKHOUSE|LOG_STORE/.test(name))).toEqual([]);
    const settings = ['url=https://columns.example.com:8443', 'user=tollgate', 'password=secret', 'ca.secret=company'];
    expect(environment(settings.map((setting) => `clickhouse.${setting}`))).toMatchObject({
      ...{ TOLLGATE_LOG_STORE: 'clickhouse', CLICKHOUSE_URL: 'https://columns.example.com:8443' },
      ...{ CLICKHOUSE_DATABASE: 'tollgate', CLICKHOUSE_USER: 'tollgate', CLICKHOUSE_PASSWORD: 'secret' },
      CLICKHOUSE_CA_FILE: '/etc/tollgate/ca/clickhouse/ca.crt',
    });
    const objects = render(
      [MINIMAL],
      settings.map((setting) => `clickhouse.${setting}`),
    );
    const job = environmentOf(objects, podSpecOf(named(objects, 'Job', '-migrate'))?.containers[0] as Container);
    expect(job).toMatchObject({ TOLLGATE_LOG_STORE: 'clickhouse', CLICKHOUSE_PASSWORD: 'secret' });
  });

  it('passes the next or previous secret key to every pod while the secret key is replaced', () => {
    const environment = (files: readonly string[], settings: readonly string[]) => {
      const objects = render(files, settings);
      return environmentOf(objects, workload(objects, 'relay').containers[0] as Container);
    };
    const plain = environment([MINIMAL], []);
    expect(plain).not.toHaveProperty('TOLLGATE_SECRET_KEY_PREVIOUS');
    expect(plain).not.toHaveProperty('TOLLGATE_SECRET_KEY_NEXT');
    const key = 'another-key-another-key-another-key';
    expect(environment([MINIMAL], [`secretKey.next.value=${key}`])).toMatchObject({ TOLLGATE_SECRET_KEY_NEXT: key });
    const objects = render(SECURED, ['secretKey.previous.existingSecret=old-key']);
    expect(workload(objects, 'relay').containers[0]?.env).toContainEqual({
      name: 'TOLLGATE_SECRET_KEY_PREVIOUS',
      valueFrom: { secretKeyRef: { name: 'old-key', key: 'TOLLGATE_SECRET_KEY_PREVIOUS' } },
    });
  });

  it('scales relays by event-loop load, and consumers by their lag', () => {
    const objects = render(SECURED);
    expect(named(objects, 'HorizontalPodAutoscaler', '-relay').spec).toMatchObject({
      scaleTargetRef: { kind: 'StatefulSet', name: 'here-tollgate-relay' },
      metrics: [
        { pods: { metric: { name: 'tollgate_event_loop_utilization_ratio' }, target: { averageValue: '700m' } } },
      ],
    });
    for (const [service, topic] of [
      ['billing', 'request-consumed'],
      ['logging', 'request-consumed'],
      ['channel', 'request-consumed'],
    ] as const) {
      expect(contracts.allEvents.map(({ name }) => name)).toContain(topic);
      expect(named(objects, 'ScaledObject', `-${service}`).spec).toMatchObject({
        triggers: [
          {
            metadata: {
              topic: `production.${topic}`,
              consumerGroup: `production.${service}`,
              sasl: 'scram_sha512',
              tls: 'enable',
            },
            authenticationRef: { name: 'here-tollgate-kafka' },
          },
        ],
      });
    }
    for (const service of ['relay', 'billing']) {
      const scaled = objects.find(({ kind, metadata }) => /Set|Depl/.test(kind) && metadata.name.endsWith(service));
      expect(scaled?.spec).not.toHaveProperty('replicas');
    }
  });

  it.each([
    [['kafka.tls=true'], undefined],
    [
      ['kafka.tls=true', 'kafka.ca.configMap=ca'],
      { configMapTargetRef: [{ parameter: 'ca', name: 'ca', key: 'ca.crt' }] },
    ],
    [['kafka.tls=true', 'kafka.ca.secret=ca'], { secretTargetRef: [{ parameter: 'ca', name: 'ca', key: 'ca.crt' }] }],
  ])('passes the broker credentials to the autoscaler: %j', (settings, spec) => {
    const objects = render([MINIMAL], ['services.billing.keda.enabled=true', ...settings]);
    expect(objects.flatMap(faultsOf)).toEqual([]);
    expect(objects.find(({ kind }) => kind === 'TriggerAuthentication')?.spec).toEqual(spec);
    const [trigger] = named(objects, 'ScaledObject', '-billing').spec?.['triggers'] as object[];
    expect(trigger).toHaveProperty('metadata.tls', 'enable');
    expect('authenticationRef' in (trigger ?? {})).toBe(spec !== undefined);
  });

  it.each([
    ['a key too short to be secret', ['secretKey.value=short']],
    ['a next key too short to be secret', ['secretKey.next.value=short']],
    ['a value that does not exist', ['services.relay.replica=3']],
    ['a seventh service', ['services.seventh.replicas=1']],
    ['brokers without a port', ['kafka.brokers=kafka']],
    ['a secret among the settings', ['config.DATABASE_URL=postgres://x']],
    ['the next key among the settings', ['config.TOLLGATE_SECRET_KEY_NEXT=another-key-another-key-another-key']],
    ['metrics that are read twice', ['monitoring.podMonitor=true', 'monitoring.serviceMonitor=true']],
    ['two masters of one number', ['services.billing.autoscaling.enabled=true', 'services.billing.keda.enabled=true']],
    ['scaling by events of who reads none', ['services.relay.keda.enabled=true']],
    ['a route without a gateway', ['gateway.enabled=true']],
  ])('refuses %s', (_what, settings) => {
    expect(() => render([MINIMAL], settings)).toThrow();
  });

  it('names missing values', () => {
    expect(() => render([])).toThrow(/secretKey.value or secretKey.existingSecret/);
    expect(() => render([MINIMAL], ['kafka.brokers='])).toThrow(/kafka.brokers: where are the brokers/);
  });
});
