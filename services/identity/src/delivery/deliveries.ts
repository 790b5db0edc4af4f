import { randomUUID } from 'node:crypto';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Clock, SecretBox } from '@tollgate/chassis';
import { type Payload, targetOf } from './payload.js';

export const PAYLOAD = 'delivery-payload';

export interface NewDelivery {
  /** The same for what must go out once only, e.g. an event's id with the kind of notice. */
  source?: string;
  userId?: number;
  kind: string;
  payload: Payload;
  /** After which it is of no use to anybody. */
  lifetimeMs: number;
}

/** A delivery that is given up. */
export interface FailedDelivery {
  userId: number | null;
  via: 'mail' | 'webhook';
  target: string;
  reason: string;
}

/** The queue of mails and webhooks. What is put into it in a transaction leaves if that commits. */
@Injectable()
export class Deliveries {
  private readonly kicks = new Set<() => void>();
  private readonly mourners = new Set<(failed: FailedDelivery) => Promise<void>>();

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
    for (const kick of this.kicks) kick();
  }

  /** Called once a delivery is given up for good. */
  onFailed(mourner: (failed: FailedDelivery) => Promise<void>): void {
    this.mourners.add(mourner);
  }

  async giveUp(failed: FailedDelivery): Promise<void> {
    for (const mourner of this.mourners) await mourner(failed);
  }

  /** Called for each new one; in a transaction that is before its commit, and the next poll finds it. */
  onNew(kick: () => void): void {
    this.kicks.add(kick);
  }
}
