import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ComposeFile, type ComposeService, readCompose } from '@tollgate/testing';
import { GenericContainer, type StartedTestContainer } from 'testcontainers';
import { podman, PRODUCT, ROOT } from './podman.js';

/**
 * The networks of the compose file, with fixed addresses: without a name server, containers get each other's addresses
 * as host entries.
 */
const NETWORKS = { default: '172.30.244', edge: '172.30.243' };
const READY_MS = 240_000;
const HEALTHY_MS = 120_000;
const PREFIX = 'tollgate-tested';

type Network = keyof typeof NETWORKS;

interface ComposeContainer {
  name: string;
  service: ComposeService;
  addresses: Partial<Record<Network, string>>;
}

/** The services of deploy/compose.yaml in podman containers; its servers are started by testcontainers. */
export class ContainerPlatform {
  private readonly servers: StartedTestContainer[] = [];
  private readonly containers = new Map<string, ComposeContainer>();
  private readonly values: Record<string, string>;
  private readonly compose: ComposeFile;
  private readonly folder = mkdtempSync(join(tmpdir(), 'platform-'));

  constructor(upstreamHost: string) {
    this.values = {
      POSTGRES_PASSWORD: 'a1b2c3d4e5f6',
      REDIS_PASSWORD: 'f6e5d4c3b2a1',
      TOLLGATE_SECRET_KEY: 'x'.repeat(64),
      TOLLGATE_IMAGE: PRODUCT,
      TOLLGATE_OUTBOUND_ALLOW: upstreamHost,
      BALANCER_SUBNET: `${NETWORKS.edge}.0/24`,
    };
    this.compose = readCompose(this.values);
  }

  /** Address of the host in the network of the services. */
  static readonly host = `${NETWORKS.default}.1`;

  /** Address from which the load balancer sees calls of the host. */
  static readonly client = `${NETWORKS.edge}.1`;

  get url(): string {
    return `http://${this.containers.get('balancer')?.addresses.edge}:3000`;
  }

  async start(): Promise<void> {
    chmodSync(this.folder, 0o755);
    await this.clear();
    for (const [name, subnet] of Object.entries(NETWORKS))
      await podman('network', 'create', '--subnet', `${subnet}.0/24`, `${PREFIX}-${name}`);
    await this.startServers();
    this.assignAddresses();
    await podman(...this.runArgs('migrate', ['--rm']));
    // In the order of the file's dependencies: services with tables, relays, gateways, load balancer.
    for (const group of [/^(identity|billing|channel|logging)/, /^relay/, /^gateway/, /^balancer/]) {
      const names = [...this.containers.keys()].filter((name) => group.test(name));
      for (const name of names) await podman(...this.runArgs(name, ['--detach']));
      await Promise.all(names.map((name) => this.untilReady(name)));
    }
  }

  /** Starts another container of a service, with the same volumes. */
  async startTwin(name: string, twin: string): Promise<void> {
    const original = this.containerOf(name);
    this.containers.set(twin, { ...original, name: twin, addresses: { default: `${NETWORKS.default}.250` } });
    await podman(...this.runArgs(twin, ['--detach']));
    await this.untilReady(twin);
  }

  async stop(): Promise<void> {
    const ours = [...this.containers.keys()].map(container);
    if (ours.length > 0) await podman('stop', '--ignore', '--time', '45', ...ours.reverse());
    for (const server of this.servers.reverse()) await server.stop();
    await this.clear();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Returns the output of a command in a container. */
  run(name: string, ...words: readonly string[]): Promise<string> {
    return podman('exec', container(name), ...words);
  }

  /** The output of containers so far. */
  async logOf(...names: readonly string[]): Promise<string> {
    return (await Promise.all(names.map((name) => podman('logs', container(name))))).join('\n');
  }

  private async clear(): Promise<void> {
    const left = await podman('ps', '--all', '--quiet', '--filter', `name=^${PREFIX}-`);
    if (left !== '') await podman('rm', '--force', '--volumes', '--time', '0', ...left.split('\n'));
    const volumes = await podman('volume', 'ls', '--quiet', '--filter', `name=^${PREFIX}-`);
    if (volumes !== '') await podman('volume', 'rm', '--force', ...volumes.split('\n'));
    for (const name of Object.keys(NETWORKS)) await podman('network', 'rm', '--force', `${PREFIX}-${name}`);
  }

  private async startServers(): Promise<void> {
    for (const name of ['postgres', 'redis', 'kafka']) {
      const service = this.serviceOf(name);
      const server = await new GenericContainer(service.image ?? '')
        .withName(container(name))
        .withHostname(name)
        .withNetworkMode(`${PREFIX}-default`)
        .withEnvironment(service.environment ?? {})
        .withCommand((service.command ?? []).map((word) => word.replaceAll('$$', '$')))
        .start();
      this.servers.push(server);
      await this.untilHealthy(name, service.healthcheck?.test?.[1] ?? 'true');
      const address = server.getIpAddress(`${PREFIX}-default`);
      this.containers.set(name, { name, service, addresses: { default: address } });
    }
  }

  /** Assigns addresses to containers that have none. */
  private assignAddresses(): void {
    // Addresses of the servers are assigned one by one as they start.
    const taken = new Set([...this.containers.values()].map(({ addresses }) => addresses.default));
    let last = 100;
    for (const [name, service] of Object.entries(this.compose.services)) {
      if (this.containers.has(name)) continue;
      do last += 1;
      while (taken.has(`${NETWORKS.default}.${last}`));
      const networks = Array.isArray(service.networks)
        ? service.networks
        : Object.keys(service.networks ?? { default: null });
      const fixed = Array.isArray(service.networks) ? undefined : service.networks?.['edge']?.ipv4_address;
      const addresses: ComposeContainer['addresses'] = {};
      for (const network of networks as Network[]) addresses[network] = fixed ?? `${NETWORKS[network]}.${last}`;
      this.containers.set(name, { name, service, addresses });
    }
  }

  /** Arguments according to the compose file, without limits of CPU and memory, which not every machine supports. */
  private runArgs(name: string, how: readonly string[]): string[] {
    const { service, addresses } = this.containerOf(name);
    const flags = [
      ...Object.entries(addresses).map(([network, ip]) => `--network=${PREFIX}-${network}:ip=${ip}`),
      ...Object.entries(service.environment ?? {}).map(([key, value]) => `--env=${key}=${value}`),
      ...(service.user ? [`--user=${service.user}`] : []),
      ...(service.read_only ? ['--read-only'] : []),
      ...(service.tmpfs ?? []).map((folder) => `--tmpfs=${folder}:mode=1777`),
      ...(service.volumes ?? []).map((volume) => `--volume=${this.volumeOf(volume)}`),
      ...(service.cap_drop ?? []).map((capability) => `--cap-drop=${capability}`),
      ...(service.security_opt ?? []).map((option) => `--security-opt=${option.replace(':true', '')}`),
      ...this.hostsFor(addresses),
    ];
    return ['run', ...how, `--name=${container(name)}`, ...flags, service.image ?? '', ...(service.command ?? [])];
  }

  private hostsFor(own: ComposeContainer['addresses']): string[] {
    const network: Network = own.default ? 'default' : 'edge';
    return [...this.containers.values()].flatMap(({ name, addresses }) =>
      addresses[network] ? [`--add-host=${name}:${addresses[network]}`] : [],
    );
  }

  private volumeOf(volume: string): string {
    const [source = '', ...rest] = volume.split(':');
    return [source === './haproxy.cfg' ? this.balancerConfig() : `${PREFIX}-${source}`, ...rest].join(':');
  }

  /** Without the name server of Docker's networks, which podman's networks lack. */
  private balancerConfig(): string {
    const file = join(this.folder, 'haproxy.cfg');
    const text = readFileSync(join(ROOT, 'deploy/haproxy.cfg'), 'utf8');
    const [withResolvers, within] = [/^resolvers docker\n(?: .*\n)+/m, / init-addr libc,none resolvers docker$/m];
    writeFileSync(file, text.replace(withResolvers, '').replace(within, ''));
    return file;
  }

  /**
   * Runs the check by podman itself: through its socket, the exit code of a command is sometimes gone before it can be
   * read.
   */
  private async untilHealthy(name: string, check: string): Promise<void> {
    const deadline = performance.now() + HEALTHY_MS;
    for (;;) {
      const fault = await podman('exec', container(name), 'sh', '-c', check).then(
        () => undefined,
        (error: Error) => error.message,
      );
      if (fault === undefined) return;
      if (performance.now() > deadline) throw new Error(`${name} is not healthy: ${fault}`);
      await pause(500);
    }
  }

  private async untilReady(name: string): Promise<void> {
    const { addresses } = this.containerOf(name);
    const path = name === 'balancer' ? '/healthz' : '/readyz';
    const url = `http://${addresses.default ?? addresses.edge}:3000${path}`;
    const deadline = performance.now() + READY_MS;
    for (;;) {
      const isReady = await fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) return;
      if (performance.now() > deadline)
        throw new Error(`${name} is not ready: ${await podman('logs', '--tail', '20', container(name))}`);
      await pause(250);
    }
  }

  private containerOf(name: string): ComposeContainer {
    const found = this.containers.get(name);
    if (!found) throw new Error(`no container ${name}`);
    return found;
  }

  private serviceOf(name: string): ComposeService {
    const found = this.compose.services[name];
    if (!found) throw new Error(`compose.yaml has no ${name}`);
    return found;
  }
}

const container = (name: string): string => `${PREFIX}-${name}`;
