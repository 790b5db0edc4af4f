import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  CHART,
  type Container,
  environmentOf,
  type KubeObject,
  named,
  podSpecOf,
  readYaml,
  renderChart,
} from './rendered-chart.js';
import { findProgram, missing } from './programs.js';

const helm = findProgram('helm', 'HELM');
if (helm === undefined) missing('secrets of the chart are not looked for, because there is no helm', 'HELM');

const MINIMAL = 'examples/minimal.yaml';
const SERVICES = ['gateway', 'identity', 'billing', 'channel', 'relay', 'logging'];
const FOLDER = resolve(import.meta.dirname, '../../services');
/** Values that set every secret of the chart. */
const WHOLE = {
  kafka: { sasl: { mechanism: 'plain', username: 'a', password: 'of-kafka' } },
  clickhouse: { url: 'http://columns:8123', user: 'a', password: 'of-clickhouse' },
  secretKey: { next: { value: 'n'.repeat(32) }, previous: { value: 'p'.repeat(32) } },
  setupToken: { value: 'token-of-the-set-up' },
};
const OF_ALL = [
  'TOLLGATE_SECRET_KEY',
  'TOLLGATE_SECRET_KEY_NEXT',
  'TOLLGATE_SECRET_KEY_PREVIOUS',
  'REDIS_URL',
  'KAFKA_SASL_PASSWORD',
];

const render = (values: object, file = MINIMAL): KubeObject[] => renderChart(helm ?? '', [file], [], { values });
const containerOf = (objects: readonly KubeObject[], service: string): Container => {
  const kind = service === 'migrate' ? 'Job' : service === 'relay' ? 'StatefulSet' : 'Deployment';
  return podSpecOf(named(objects, kind, `-${service}`))?.containers[0] as Container;
};
const secretsOf = (objects: readonly KubeObject[], service: string): string[] =>
  (containerOf(objects, service).env ?? []).flatMap(({ name, valueFrom }) => (valueFrom?.secretKeyRef ? [name] : []));
/** Whether a source file of a service matches a pattern. */
const says = (service: string, words: RegExp): boolean =>
  readdirSync(join(FOLDER, service, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .some((file) => words.test(readFileSync(join(FOLDER, service, 'src', file), 'utf8')));
const withTables = SERVICES.filter((service) => says(service, /^ {2}database: \{/m));

(helm ? describe : describe.skip)('the secrets of helm/tollgate', () => {
  it('are written as data, so that a secret removed from the values is removed from the cluster', () => {
    const written = render(WHOLE).filter(({ kind }) => kind === 'Secret');
    expect(written.map(({ metadata }) => metadata.name)).toEqual(['here-tollgate', 'here-tollgate-migrate']);
    for (const secret of written) expect(Object.keys(secret)).not.toContain('stringData');
  });

  it('reach the processes unchanged, whatever characters they contain', () => {
    const password = `"quoted" 'too' $HOME $(HOME) {{ not }} #no: yes\\n\nnext`;
    const objects = render({ ...WHOLE, kafka: { sasl: { mechanism: 'plain', username: 'a', password } } });
    for (const service of [...SERVICES, 'migrate'])
      expect(environmentOf(objects, containerOf(objects, service))['KAFKA_SASL_PASSWORD']).toBe(password);
  });

  it.each([
    ['given as values', WHOLE],
    [
      'of the operator',
      {
        ...{
          secretKey: { existingSecret: 'own', next: { existingSecret: 'own' }, previous: { existingSecret: 'own' } },
        },
        ...{ postgresql: { existingSecret: 'own' }, redis: { existingSecret: 'own' } },
        kafka: { sasl: { mechanism: 'plain', username: 'a', existingSecret: 'own' } },
        clickhouse: { url: 'http://columns:8123', existingSecret: 'own' },
        setupToken: { existingSecret: 'own' },
      },
    ],
  ])('reach only the services that use them: %s', (_whose, values) => {
    const objects = render(values);
    expect(withTables).toEqual(['identity', 'billing', 'channel', 'logging']);
    for (const service of SERVICES) {
      const own = [
        ...(withTables.includes(service) ? ['DATABASE_URL'] : []),
        ...(service === 'logging' ? ['CLICKHOUSE_PASSWORD'] : []),
        ...(says(service, /TOLLGATE_SETUP_TOKEN/) ? ['TOLLGATE_SETUP_TOKEN'] : []),
      ];
      expect([service, secretsOf(objects, service).sort()]).toEqual([service, [...OF_ALL, ...own].sort()]);
    }
    // The migration job checks these too, so that a missing secret stops an upgrade before it begins.
    const job = [...OF_ALL, 'DATABASE_URL', 'CLICKHOUSE_PASSWORD', 'TOLLGATE_SETUP_TOKEN'];
    expect(secretsOf(objects, 'migrate').sort()).toEqual(job.sort());
  });

  it.each([
    { service: { type: 'LoadBalancer' } },
    { ingress: { enabled: true, host: 'tollgate.example.com' } },
    { gateway: { enabled: true, parents: [{ name: 'public' }] } },
  ])('of the examples are refused where the world can reach the product: %j', (values) => {
    expect(() => render(values)).toThrow(/which everybody knows/);
    expect(render({ ...values, secretKey: { value: 'k'.repeat(32) } })).not.toEqual([]);
  });

  it('are in no ConfigMap', () => {
    const text = JSON.stringify(render(WHOLE).filter(({ kind }) => kind !== 'Secret'));
    for (const secret of [
      'of-kafka',
      'of-clickhouse',
      'n'.repeat(32),
      'p'.repeat(32),
      'token-of-the-set-up',
      ':secret@',
    ])
      expect([secret, text.includes(secret)]).toEqual([secret, false]);
  });

  it('allow connections to PostgreSQL only for services with tables', () => {
    const objects = render({ networkPolicy: { enabled: true, databasePorts: [6432] } });
    const goesThere = (service: string): boolean => {
      const { egress } = named(objects, 'NetworkPolicy', `-${service}`).spec as {
        egress: { ports?: { port: number }[] }[];
      };
      return egress.some(({ ports = [] }) => ports.some(({ port }) => port === 6432));
    };
    expect([...SERVICES, 'migrate'].filter(goesThere)).toEqual([...withTables, 'migrate']);
    const { networkPolicy } = readYaml('values.yaml') as { networkPolicy: { serverPorts: number[] } };
    expect(networkPolicy.serverPorts).not.toContain(5432);
    for (const file of readdirSync(join(CHART, 'examples'))) {
      const example = readYaml(`examples/${file}`) as { networkPolicy?: { serverPorts?: number[] } };
      expect([file, example.networkPolicy?.serverPorts ?? []]).toEqual([file, expect.not.arrayContaining([5432])]);
    }
  });
});
