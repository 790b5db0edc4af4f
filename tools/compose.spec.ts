import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { envTable, readEnv } from '@tollgate/chassis';
import { type ComposeService, packageBehind, parseCompose, readCompose } from '@tollgate/testing';

const ROOT = resolve(import.meta.dirname, '..');
/** The schema of the compose specification comes with Testcontainers, and a JSON Schema validator with Fastify. */
const { $schema: _, ...composeSchema } = packageBehind(
  'testcontainers',
  'docker-compose',
)('docker-compose/schema/compose-spec.json') as Record<string, unknown>;
const Ajv = packageBehind('fastify', '@fastify/ajv-compiler')('ajv') as new (options: object) => {
  compile(schema: object): ((data: unknown) => boolean) & { errors?: object[] | null };
};

const DOTENV: Record<string, string> = {
  POSTGRES_PASSWORD: 'a1b2c3d4e5f6',
  REDIS_PASSWORD: 'f6e5d4c3b2a1',
  TOLLGATE_SECRET_KEY: 'x'.repeat(64),
};
const raw = parseCompose();
const file = readCompose(DOTENV);
const ours = Object.entries(file.services).filter(([, { image }]) => image === 'tollgate:local');
const running = ours.filter(([name]) => name !== 'migrate');
const commandOf = ({ command }: ComposeService): string => command?.[0] ?? '';
const seconds = (duration: string | undefined): number => Number(/^(\d+)s$/.exec(duration ?? '')?.[1] ?? Number.NaN);

describe('deploy/compose.yaml', () => {
  it('follows the compose specification', () => {
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(composeSchema);
    validate(raw);
    expect(validate.errors ?? []).toEqual([]);
    expect(validate({ services: { one: { comand: ['x'] } } })).toBe(false);
  });

  it('runs every service, those that carry the load twice, and the migrations before them', () => {
    const counts: Record<string, number> = {};
    for (const [, service] of ours) counts[commandOf(service)] = (counts[commandOf(service)] ?? 0) + 1;
    expect(counts).toEqual({ gateway: 2, identity: 1, billing: 2, channel: 1, relay: 2, logging: 2, migrate: 1 });
    for (const [name, service] of running) {
      expect(existsSync(join(ROOT, 'services', commandOf(service), 'src/main.ts'))).toBe(true);
      expect([name, service.depends_on?.['migrate']?.condition]).toEqual([name, 'service_completed_successfully']);
    }
  });

  it('sets only variables that exist, to values they take', () => {
    const known = new Set<string>(envTable.map(({ name }) => name));
    for (const [name, { environment = {} }] of ours) {
      expect([name, Object.keys(environment).filter((variable) => !known.has(variable))]).toEqual([name, []]);
      expect(() => readEnv(environment)).not.toThrow();
    }
  });

  it('takes other variables from a file of the operator, which neither git nor the image knows', () => {
    for (const [name, service] of ours)
      expect([name, service.env_file]).toEqual([name, [{ path: 'services.env', required: false }]]);
    for (const list of ['.gitignore', '.dockerignore'])
      expect(readFileSync(join(ROOT, list), 'utf8').split('\n')).toContain('deploy/services.env');
  });

  it('passes the next or previous secret key on while the secret key is replaced', () => {
    const others = { TOLLGATE_SECRET_KEY_NEXT: 'n'.repeat(64), TOLLGATE_SECRET_KEY_PREVIOUS: 'p'.repeat(64) };
    const { services } = readCompose({ ...DOTENV, ...others });
    for (const [name] of ours)
      expect([name, services[name]?.environment]).toEqual([name, expect.objectContaining(others)]);
  });

  it('names address and port of a replica for every service that others call', () => {
    for (const [, { environment = {} }] of running) {
      const { PORT, TOLLGATE_SERVICES } = readEnv(environment);
      const named = TOLLGATE_SERVICES.split(',').flatMap((entry) => {
        const [service = '', origins = ''] = entry.split('=');
        return origins.split('|').map((origin) => ({ service, url: new URL(origin) }));
      });
      for (const { service, url } of named) {
        expect(commandOf(file.services[url.hostname] ?? {})).toBe(service);
        expect(url.port).toBe(String(PORT));
      }
      const hosts = running.filter(([, service]) => commandOf(service) !== 'gateway').map(([name]) => name);
      expect(named.map(({ url }) => url.hostname).sort()).toEqual(hosts.sort());
    }
    for (const [, { healthcheck }] of running) expect(healthcheck?.test?.join(' ')).toContain(':3000/readyz');
  });

  it('publishes only the ports of the balancer, which reaches every gateway', () => {
    const published = Object.entries(file.services).flatMap(([name, { ports = [] }]) => (ports.length ? [name] : []));
    expect(published).toEqual(['balancer']);
    expect(file.services['balancer']?.ports).toEqual(['3000:3000']);
    for (const [, { environment = {} }] of running)
      expect(environment['TOLLGATE_ADDRESS']).toBe('http://localhost:3000');
    const config = readFileSync(join(ROOT, 'deploy/haproxy.cfg'), 'utf8');
    const named = [...config.matchAll(/^ {2}server (\S+) (\S+):3000$/gm)].map(([, , host]) => host);
    const gateways = running.filter(([, service]) => commandOf(service) === 'gateway').map(([name]) => name);
    expect(named).toEqual(gateways);
  });

  it('makes gateways trust client addresses from the balancer only', () => {
    const networks = file.services['balancer']?.networks as Record<string, { ipv4_address: string }>;
    expect(Object.keys(networks)).toEqual(['edge']);
    for (const [name, { environment = {}, networks: joined = ['default'] }] of running) {
      expect(environment['TOLLGATE_TRUSTED_PROXIES']).toBe(networks['edge']?.ipv4_address);
      expect((joined as string[]).includes('edge')).toBe(name.startsWith('gateway'));
    }
  });

  it('leaves the address of the balancer free, although the gateways start before it', () => {
    const { ipv4_address: own = '' } =
      (file.services['balancer']?.networks as Record<string, { ipv4_address: string }>)['edge'] ?? {};
    const [{ subnet = '', ip_range: given = '' } = {}] = file.networks['edge']?.ipam?.config ?? [];
    const has = (range: string, address: string): boolean => {
      const [network = '', bits] = range.split('/');
      const list = new BlockList();
      list.addSubnet(network, Number(bits));
      return list.check(address);
    };
    expect([has(subnet, own), has(given, own), has(subnet, given.split('/')[0] ?? '')]).toEqual([true, false, true]);
  });

  it('has the addresses of its PostgreSQL, Redis and Kafka in the environment', () => {
    const { environment = {} } = file.services['identity'] ?? {};
    const database = new URL(environment['DATABASE_URL'] ?? '');
    const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = file.services['postgres']?.environment ?? {};
    expect([database.username, database.password, database.host, database.pathname]).toEqual([
      POSTGRES_USER,
      POSTGRES_PASSWORD,
      'postgres:5432',
      `/${POSTGRES_DB}`,
    ]);
    expect(new URL(environment['REDIS_URL'] ?? '').host).toBe('redis:6379');
    expect(file.services['kafka']?.environment?.['KAFKA_ADVERTISED_LISTENERS']).toBe(
      `PLAINTEXT://${environment['KAFKA_BROKERS']}`,
    );
  });

  it('depends only on services with a health check, and without circles', () => {
    const depth = (name: string, seen: readonly string[]): void => {
      expect(seen).not.toContain(name);
      for (const [other, { condition }] of Object.entries(file.services[name]?.depends_on ?? {})) {
        const check = file.services[other]?.healthcheck;
        if (condition === 'service_healthy')
          expect([other, check?.disable !== true && (check?.test?.length ?? 0) > 0]).toEqual([other, true]);
        depth(other, [...seen, name]);
      }
    };
    for (const name of Object.keys(file.services)) depth(name, []);
  });

  it('sets the stop grace period longer than a process gives itself', () => {
    for (const [name, service] of running) {
      const env = readEnv(service.environment ?? {});
      const needed = env.TOLLGATE_NOTICE_SECONDS + env.TOLLGATE_DRAIN_SECONDS + 30;
      expect([name, seconds(service.stop_grace_period) >= needed]).toEqual([name, true]);
    }
  });

  it('gives relays more memory than their bodies and replies may use', () => {
    for (const [name, { environment = {}, deploy }] of running.filter(([, one]) => commandOf(one) === 'relay')) {
      const { TOLLGATE_BODIES_MB, TOLLGATE_REPLIES_MB } = readEnv(environment);
      const [, gigabytes] = /^(\d+)G$/.exec(String(deploy?.resources?.limits?.['memory'])) ?? [];
      const left = Number(gigabytes) * 1024 - TOLLGATE_BODIES_MB - TOLLGATE_REPLIES_MB;
      expect([name, left >= 400]).toEqual([name, true]);
    }
  });

  it('keeps the spool of every relay on a volume of its own', () => {
    const relays = running.filter(([, service]) => commandOf(service) === 'relay');
    const volumes = relays.map(([, service]) => service.volumes ?? []);
    expect(volumes).toEqual([['relay-1:/data'], ['relay-2:/data']]);
    for (const [, { tmpfs }] of relays) expect(tmpfs).not.toContain('/data');
    expect(Object.keys(file.volumes)).toEqual(expect.arrayContaining(['relay-1', 'relay-2', 'postgres', 'kafka']));
  });

  it('runs our services without root, new privileges, a writable image or unlimited resources', () => {
    for (const [name, service] of ours) {
      const { user, read_only: readOnly, cap_drop: dropped, security_opt: options, deploy } = service;
      expect({ name, user, readOnly, dropped, options }).toEqual({
        name,
        user: 'node',
        readOnly: true,
        dropped: ['ALL'],
        options: ['no-new-privileges:true'],
      });
      expect(deploy?.resources?.limits).toMatchObject({ cpus: expect.any(String), memory: expect.any(String) });
    }
  });

  it('pins every image to a version', () => {
    const images = Object.values(file.services).map(({ image = '' }) => image);
    for (const image of new Set(images)) expect(image).toMatch(/^tollgate:local$|:\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
  });
});

describe('.github/workflows', () => {
  it('pin every foreign action to a commit, with its version in a comment', () => {
    const folder = join(ROOT, '.github/workflows');
    const uses = readdirSync(folder).flatMap((name) => [
      ...readFileSync(join(folder, name), 'utf8').matchAll(/uses: ([^.].*)/g),
    ]);
    expect(uses.length).toBeGreaterThan(2);
    for (const [, action] of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });
});
