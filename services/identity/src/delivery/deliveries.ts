import { randomUUID } from 'node:crypto';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { DeliveryKind } from '@tollgate/contracts/api/delivery-kinds';
import { Clock, SecretBox } from '@tollgate/chassis';
import { type Payload, targetOf } from './payload.js';

export const PAYLOAD = 'delivery-payload';

interface NewDelivery {
  /** Deliveries with the same source are sent only once, e.g. the id of an event plus the kind of notice. */
  source?: string;
  userId?: number;
  kind: DeliveryKind;
  payload: Payload;
  /** After this time the delivery is useless and is given up. */
  lifetimeMs: number;
}

/** A delivery that was given up. */
export interface FailedDelivery {
  userId: number | null;
  via: 'mail' | 'webhook';
  target: string;
  reason: string;
}

/** The queue of mails and webhooks. A delivery added in a transaction is sent only if that commits. */
@Injectable()
export class Deliveries {
  private readonly newListeners = new Set<() => void>();
  private readonly failureListeners = new Set<(failed: FailedDelivery) => Promise<void>>();

  constructor(
    private readonly em: EntityManager,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
  ) {}

  async add({ source = randomUUID(), userId, kind, payload, lifetimeMs }: NewDelivery): Promise<void> {
    const now = this.clock.now();
    await this.em.execute(
      `insert into "delivery" ("source", "user_id", "kind", "via", "target", "sealed_payload", "next_attempt_at", "expires_at", "created_at")
       values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict ("source") do nothing`,
      [
        source,
        userId ?? null,
        kind,
        payload.via,
        targetOf(payload),
        this.secrets.encrypt(PAYLOAD, JSON.stringify(payload)),
        ...[now, now + lifetimeMs, now].map((at) => new Date(at)),
      ],
    );
    for (const listener of this.newListeners) listener();
  }

  /** Registers a callback for deliveries that were given up. */
  onFailed(listener: (failed: FailedDelivery) => Promise<void>): void {
    this.failureListeners.add(listener);
  }

  async giveUp(failed: FailedDelivery): Promise<void> {
    for (const listener of this.failureListeners) await listener(failed);
  }

  /**
   * Registers a callback for new deliveries. Inside a transaction it is called before the commit; the next poll then
   * finds the delivery.
   */
  onNew(listener: () => void): void {
    this.newListeners.add(listener);
  }
}
