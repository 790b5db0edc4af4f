import { lookup } from 'node:dns/promises';
import type { ServiceName } from '@tollgate/contracts';
import { Pool, request } from 'undici';
import type { Logger } from '../log/logger.js';
import { afterInterval } from '../timing/shared-timer.js';

const PROBE_MS = 1_000;
/**
 * Services that were not called for this long are not probed. A stale entry does no harm: a call that cannot connect tries the next
 * replica.
 */
const ASKED_MS = 5_000;
const PROBE_TIMEOUT_MS = 2_000;
const CONNECT_MS = 2_000;
/** Less than the minute after which servers close an idle connection. */
const KEEP_ALIVE_MS = 30_000;
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether no part of the request has left this process, so that it can be sent to another replica without running twice. */
export const neverConnected = (error: unknown): boolean => {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return NEVER_CONNECTED.has(code ?? '') || NEVER_CONNECTED.has(cause?.code ?? '');
};

/** One process that runs a service. Its pool is unbounded, so that open streams do not block short calls. */
export class Replica {
  readonly pool: Pool;

  constructor(
    readonly service: ServiceName,
    readonly origin: string,
    public ready = true,
  ) {
    this.pool = new Pool(origin, {
      connections: null,
      connect: { timeout: CONNECT_MS },
      keepAliveTimeout: KEEP_ALIVE_MS,
    });
  }
}

type ServiceAddresses = ReadonlyMap<ServiceName, readonly string[]>;

/** Prefix of an origin whose host name resolves to all replicas. */
const BY_NAME = 'dns+';

/** Resolves a host name to its addresses. */
export type Lookup = (host: string) => Promise<readonly { address: string; family: number }[]>;

/** Parses `identity=http://a:1,billing=http://b:2|http://c:3`; the environment schema has validated the form. */
export const parseServices = (text: string): ServiceAddresses =>
  new Map(
    text
      .split(',')
      .filter((entry) => entry.trim() !== '')
      .map((entry) => {
        const [name = '', addresses = ''] = entry.trim().split(/=(.*)/s);
        return [name as ServiceName, addresses.split('|').map((address) => address.trim().replace(/\/$/, ''))] as const;
      }),
  );

/** A host name that resolves to the addresses of all replicas. */
interface Named {
  readonly service: ServiceName;
  readonly url: URL;
  /** Until the name is resolved, the name itself is the only replica. */
  replicas: readonly Replica[];
}

/**
 * Addresses of the services in other processes. Calls are distributed over the replicas in turn. A replica that refuses a connection or
 * reports that it is not ready is left out until a probe finds it ready again, so that a stopping replica loses its traffic before it
 * closes its port. With `dns+http://name:port` each address of the name is a replica; the name is resolved again with every probe, because
 * autoscaling adds and removes replicas.
 */
export class ServiceDirectory {
  private readonly fixed: ReadonlyMap<ServiceName, readonly Replica[]>;
  private readonly named: readonly Named[];
  private readonly turns = new Map<ServiceName, number>();
  private stopProbing = (): void => undefined;
  private closed = false;
  /** Time of the last call by service. Only services that this process calls are probed, and replicas that are left out. */
  private readonly calledAt = new Map<ServiceName, number>();

  constructor(
    addresses: ServiceAddresses,
    private readonly log: Logger,
    private readonly addressesOf: Lookup = (host) => lookup(host, { all: true }),
  ) {
    const all = [...addresses].flatMap(([service, origins]) => origins.map((origin) => ({ service, origin })));
    this.fixed = new Map(
      [...addresses].map(([service, origins]) => [
        service,
        origins.filter((origin) => !origin.startsWith(BY_NAME)).map((origin) => new Replica(service, origin)),
      ]),
    );
    this.named = all
      .filter(({ origin }) => origin.startsWith(BY_NAME))
      .map(({ service, origin }) => {
        const url = new URL(origin.slice(BY_NAME.length));
        return { service, url, replicas: [new Replica(service, url.origin)] };
      });
    if (all.length > 0) this.probeSoon();
  }

  has(service: ServiceName): boolean {
    return this.fixed.has(service);
  }

  /** The replicas of a service in the order to try them. Those that are left out come last, since all may be left out for a moment. */
  inTurn(service: ServiceName): Replica[] {
    const replicas = this.replicasOf(service);
    this.calledAt.set(service, performance.now());
    const turn = (this.turns.get(service) ?? 0) % Math.max(1, replicas.length);
    this.turns.set(service, turn + 1);
    const rotated = [...replicas.slice(turn), ...replicas.slice(0, turn)];
    return [...rotated.filter(({ ready }) => ready), ...rotated.filter(({ ready }) => !ready)];
  }

  /** Leaves a replica out until a probe finds it ready again. */
  eject(replica: Replica, reason: unknown): void {
    if (replica.ready)
      this.log.warn(`${replica.service} at ${replica.origin} is left out`, { reason: (reason as Error).message });
    replica.ready = false;
  }

  /**
   * Resolves the host names in use, and probes the replicas of services that were called lately as well as those left out. A single replica
   * is called whatever its state, so it is probed only while it is left out.
   */
  async refresh(): Promise<void> {
    await Promise.all(this.named.filter(({ service }) => this.calledAt.has(service)).map((name) => this.resolve(name)));
    const oldest = performance.now() - ASKED_MS;
    const probed = [...this.calledAt].flatMap(([service, at]) => {
      const replicas = this.replicasOf(service);
      const isChoice = replicas.length > 1 && at > oldest;
      return replicas.filter(({ ready }) => isChoice || !ready);
    });
    await Promise.all(probed.map((replica) => this.probe(replica)));
  }

  private replicasOf(service: ServiceName): Replica[] {
    const named = this.named.filter((name) => name.service === service).flatMap(({ replicas }) => replicas);
    return [...(this.fixed.get(service) ?? []), ...named];
  }

  /** A name that cannot be resolved at the moment keeps its replicas. */
  private async resolve(named: Named): Promise<void> {
    const { service, url, replicas } = named;
    const found = await this.addressesOf(url.hostname).catch(() => []);
    if (found.length === 0 || this.closed) return;
    const origins = new Set(found.map(({ address, family }) => originOf(url, address, family)));
    const kept = replicas.filter(({ origin }) => origins.has(origin));
    for (const { origin } of kept) origins.delete(origin);
    const added = [...origins].sort().map((origin) => new Replica(service, origin, false));
    named.replicas = [...kept, ...added];
    // `close` waits for the open streams of the pool to end.
    for (const gone of replicas.filter((replica) => !kept.includes(replica))) void gone.pool.close();
  }

  private probeSoon(): void {
    this.stopProbing = afterInterval(() => void this.probeAll(), PROBE_MS);
  }

  private async probeAll(): Promise<void> {
    await this.refresh();
    if (!this.closed) this.probeSoon();
  }

  private async probe(replica: Replica): Promise<void> {
    try {
      const { statusCode, body } = await request(`${replica.origin}/readyz`, {
        dispatcher: replica.pool,
        headersTimeout: PROBE_TIMEOUT_MS,
        bodyTimeout: PROBE_TIMEOUT_MS,
      });
      await body.dump();
      if (statusCode !== 200) return this.eject(replica, new Error(`not ready (status ${statusCode})`));
      if (!replica.ready) this.log.info(`${replica.service} at ${replica.origin} is back`);
      replica.ready = true;
    } catch (error) {
      if (!this.closed) this.eject(replica, error);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    this.stopProbing();
    const all = [...this.fixed.values(), ...this.named.map(({ replicas }) => replicas)].flat();
    await Promise.all(all.map(({ pool }) => pool.destroy()));
  }
}

const originOf = ({ protocol, port }: URL, address: string, family: number): string =>
  `${protocol}//${family === 6 ? `[${address}]` : address}${port === '' ? '' : `:${port}`}`;
