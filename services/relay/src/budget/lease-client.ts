import { acquireLeases, mostLeaseRequests } from '@tollgate/contracts';
import type { InternalClient } from '@tollgate/chassis';
import type { z } from 'zod';

type LeaseRequest = z.input<typeof acquireLeases.input>['requests'][number];
export type LeaseResult = z.output<typeof acquireLeases.output>['results'][number];

const LINGER_MS = 2;

interface Waiting {
  request: LeaseRequest;
  resolve(result: LeaseResult | undefined): void;
  reject(error: unknown): void;
}

/** The epoch that a client requests quota for: counters of one epoch mean nothing in another. */
interface ClientEpoch {
  readonly id: string;
  isCurrent(): boolean;
  /** Called when billing has expired the epoch; more than once if several replies say so. */
  onExpired(): void;
}

/** Requests grants of quota from billing for one epoch; all requests within 2 ms are sent as one call. */
export class LeaseClient {
  private waiting: Waiting[] = [];

  constructor(
    private readonly internal: InternalClient,
    private readonly epoch: ClientEpoch,
  ) {}

  /** `undefined` when the epoch is over. */
  acquire(request: LeaseRequest): Promise<LeaseResult | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
      if (this.waiting.length === 1) setTimeout(() => void this.flush(), LINGER_MS);
    });
  }

  /**
   * Sends what waits in one message after another, because billing would only queue several. Messages of an earlier
   * flush may still be on their way.
   */
  private async flush(): Promise<void> {
    const { waiting } = this;
    this.waiting = [];
    for (let from = 0; from < waiting.length; from += mostLeaseRequests)
      await this.send(waiting.slice(from, from + mostLeaseRequests));
  }

  private async send(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.resultsOf(batch.map(({ request }) => request));
      batch.forEach(({ resolve, reject }, index) => {
        const result = results?.[index];
        if (result || !results) resolve(result);
        else reject(new Error('billing answered fewer leases than were asked for'));
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  private async resultsOf(requests: LeaseRequest[]): Promise<LeaseResult[] | undefined> {
    // What billing lends to an epoch that is over gets no heartbeats, and stays lent until billing releases the epoch.
    if (!this.epoch.isCurrent()) return undefined;
    const { alive, results } = await this.internal.call(acquireLeases, { replicaEpoch: this.epoch.id, requests });
    if (alive) return results;
    this.epoch.onExpired();
    return undefined;
  }
}
