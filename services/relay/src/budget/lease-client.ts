import { acquireLeases, mostLeaseRequests } from '@tollgate/contracts';
import type { InternalClient } from '@tollgate/chassis';
import type { z } from 'zod';

export type LeaseRequest = z.input<typeof acquireLeases.input>['requests'][number];
export type LeaseResult = z.output<typeof acquireLeases.output>['results'][number];

const LINGER_MS = 2;

interface Waiting {
  request: LeaseRequest;
  resolve(result: LeaseResult): void;
  reject(error: unknown): void;
}

/** Requests blocks of quota from billing; all requests within 2 ms are sent as one call. */
export class LeaseClient {
  private waiting: Waiting[] = [];

  constructor(
    private readonly internal: InternalClient,
    private readonly epoch: () => string,
    /** Called when billing has expired this epoch, so that its replies are of no use. */
    private readonly onForgotten: () => void,
  ) {}

  acquire(request: LeaseRequest): Promise<LeaseResult> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
      if (this.waiting.length === 1) setTimeout(() => void this.flush(), LINGER_MS);
    });
  }

  /** Sends one message at a time, because billing would only queue several. */
  private async flush(): Promise<void> {
    const { waiting } = this;
    this.waiting = [];
    for (let from = 0; from < waiting.length; from += mostLeaseRequests)
      await this.send(waiting.slice(from, from + mostLeaseRequests));
  }

  private async send(batch: readonly Waiting[]): Promise<void> {
    try {
      const { alive, results } = await this.internal.call(acquireLeases, {
        replicaEpoch: this.epoch(),
        requests: batch.map(({ request }) => request),
      });
      if (!alive) this.onForgotten();
      batch.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        if (result) resolve(result);
        else reject(new Error('billing answered fewer leases than were asked for'));
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
