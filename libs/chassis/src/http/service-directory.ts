import type { ServiceName } from '@tollgate/contracts';
import { Pool, request } from 'undici';
import type { Logger } from '../log/logger.js';

const PROBE_MS = 1_000;
const PROBE_TIMEOUT_MS = 2_000;
const CONNECT_MS = 2_000;
/** Below the minute after which servers close an idle connection. */
const KEEP_ALIVE_MS = 30_000;
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Nothing of the request left this process, so that another replica may be asked without doing anything twice. */
export const neverConnected = (error: unknown): boolean => {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return NEVER_CONNECTED.has(code ?? '') || NEVER_CONNECTED.has(cause?.code ?? '');
};

/** One process that runs a service. Its pool has no bound: open streams must not make short calls wait. */
export class Replica {
  readonly pool: Pool;
  ready = true;

  constructor(
    readonly service: ServiceName,
    readonly origin: string,
  ) {
    this.pool = new Pool(origin, {
      connections: null,
      connect: { timeout: CONNECT_MS },
      keepAliveTimeout: KEEP_ALIVE_MS,
    });
  }
}

export type ServiceAddresses = ReadonlyMap<ServiceName, readonly string[]>;

/** Reads `identity=http://a:1,billing=http://b:2|http://c:3`; the environment has checked the form. */
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

/**
 * Where the services of other processes are. Replicas take turns; one that refuses a connection or says that it is not
 * ready is left out until a probe finds it ready again, so that a stopping replica loses its traffic before its port.
 */
export class ServiceDirectory {
  private readonly replicas: ReadonlyMap<ServiceName, readonly Replica[]>;
  private readonly turns = new Map<ServiceName, number>();
  private prober: NodeJS.Timeout | undefined;
  private closed = false;
  /** Nobody is probed whom this process never asks. */
  private readonly used = new Set<Replica>();

  constructor(
    addresses: ServiceAddresses,
    private readonly log: Logger,
  ) {
    this.replicas = new Map(
      [...addresses].map(([service, origins]) => [service, origins.map((origin) => new Replica(service, origin))]),
    );
    if (this.replicas.size > 0) this.probeSoon();
  }

  has(service: ServiceName): boolean {
    return this.replicas.has(service);
  }

  /** In the order to be tried, each once; those that are out come last, since all may be out for a moment. */
  inTurn(service: ServiceName): Replica[] {
    const replicas = this.replicas.get(service) ?? [];
    for (const replica of replicas) this.used.add(replica);
    const turn = this.turns.get(service) ?? 0;
    this.turns.set(service, (turn + 1) % Math.max(1, replicas.length));
    const rotated = [...replicas.slice(turn), ...replicas.slice(0, turn)];
    return [...rotated.filter(({ ready }) => ready), ...rotated.filter(({ ready }) => !ready)];
  }

  /** For as long as no probe says otherwise. */
  eject(replica: Replica, reason: unknown): void {
    if (replica.ready)
      this.log.warn(`${replica.service} at ${replica.origin} is left out`, { reason: (reason as Error).message });
    replica.ready = false;
  }

  private probeSoon(): void {
    this.prober = setTimeout(() => void this.probeAll(), PROBE_MS);
    this.prober.unref();
  }

  private async probeAll(): Promise<void> {
    await Promise.all([...this.used].map((replica) => this.probe(replica)));
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
    clearTimeout(this.prober);
    await Promise.all([...this.replicas.values()].flat().map(({ pool }) => pool.destroy()));
  }
}
