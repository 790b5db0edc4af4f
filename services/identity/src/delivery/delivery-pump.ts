import { EntityManager, RequestContext } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { CombinedReads, sqlTime } from '@tollgate/database';
import { addressNotAllowed, AppError, Clock, Lifecycle, Logger, periodically, SecretBox } from '@tollgate/chassis';
import { Mailer } from '../mail/mailer.js';
import { TrustedSettings } from '../option/trusted-settings.js';
import { Deliveries, type FailedDelivery, PAYLOAD } from './deliveries.js';
import { DeliveryMetrics, type DeliveryWay } from './delivery-metrics.js';
import { payloadSchema } from './payload.js';
import { pauseAfter } from './retry-plan.js';
import { Webhooks } from './webhook.js';

const POLL_MS = 1_000;
const AT_ONCE = 8;
/** Longer than any attempt takes. When a replica dies during an attempt, another one retries after this time. */
const LEASE_MS = 90_000;
const KEPT_DAYS = 30;
const CLEAN_EVERY_MS = 60 * 60_000;
const MAX_REASON = 300;
const EXPIRED = '在有效期内未能发送';
const MOVED = '邮件设置已被其他管理员修改，重置链接不再发送';

interface Claimed {
  id: number;
  sealed_payload: string | null;
  attempts: number;
  expires_at: string;
  kind: string;
  via: DeliveryWay;
  user_id: number | null;
  /** Role of the recipient. */
  role: number | null;
}

/** Whether any delivery is due, as an SQL expression. */
const dueAt = (now: number): string =>
  `exists (select from "delivery" where "status" = 'waiting' and "next_attempt_at" <= ${sqlTime(now)})`;

/**
 * Sends due deliveries in small batches, at least once: what was sent but not recorded, because the process or the
 * database failed in between, is sent again.
 */
@Injectable()
export class DeliveryPump {
  private cleanedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly em: EntityManager,
    private readonly mailer: Mailer,
    private readonly webhooks: Webhooks,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly deliveries: Deliveries,
    private readonly trusted: TrustedSettings,
    private readonly metrics: DeliveryMetrics,
    reads: CombinedReads,
    lifecycle: Lifecycle,
  ) {
    const kick = periodically({ lifecycle, logger }, 'deliveries', POLL_MS, async () => {
      if (this.isCleaned() && !(await reads.read<boolean>(dueAt(clock.now())))) return;
      await RequestContext.create(em, () => this.run());
    });
    deliveries.onNew(kick);
  }

  async run(): Promise<void> {
    for (;;) {
      const claimed = await this.claim();
      const attempts = await Promise.allSettled(claimed.map((delivery) => this.attempt(delivery)));
      const outage = attempts.find((attempt) => attempt.status === 'rejected');
      if (outage) throw outage.reason;
      if (claimed.length < AT_ONCE) break;
    }
    await this.clean();
  }

  private claim(): Promise<Claimed[]> {
    const now = this.clock.now();
    return this.em.execute<Claimed[]>(
      `update "delivery" set "attempts" = "attempts" + 1, "next_attempt_at" = ?
       where "id" in (select "id" from "delivery" where "status" = 'waiting' and "next_attempt_at" <= ?
                      order by "next_attempt_at" limit ? for update skip locked)
       returning "id", "sealed_payload", "attempts", "expires_at", "kind", "via", "user_id",
                 (select "role" from "users" where "users"."id" = "delivery"."user_id") as "role"`,
      [new Date(now + LEASE_MS), new Date(now), AT_ONCE],
    );
  }

  /**
   * Rejects when the database fails, which says nothing about the delivery: it stays claimed and is tried again when the
   * claim ends.
   */
  private async attempt(delivery: Claimed): Promise<void> {
    if (new Date(delivery.expires_at).getTime() <= this.clock.now())
      return this.finish(delivery, 'failed', delivery.attempts > 1 ? undefined : EXPIRED);
    if (!(await this.mayGoOut(delivery))) return this.finish(delivery, 'failed', MOVED);
    try {
      await this.send(delivery);
    } catch (error) {
      return this.failed(delivery, error);
    }
    await this.finish(delivery, 'sent', '');
  }

  /**
   * A password reset link is not sent when the mail settings were changed by another administrator while it waited in
   * the queue, since that server could read the link.
   */
  private async mayGoOut({ kind, user_id: id, role }: Claimed): Promise<boolean> {
    return kind !== 'password-reset' || this.trusted.mayVouchFor('mail', { id: id ?? 0, role: role ?? 0 });
  }

  private async send({ sealed_payload: sealed }: Claimed): Promise<void> {
    const payload = payloadSchema.parse(JSON.parse(this.secrets.decrypt(PAYLOAD, sealed ?? '')));
    await (payload.via === 'mail' ? this.mailer.send(payload) : this.webhooks.send(payload));
  }

  /** Schedules a retry, unless the receiver refused for good or the retry would come too late. */
  private async failed(delivery: Claimed, error: unknown): Promise<void> {
    const { id, attempts, expires_at: expires, via } = delivery;
    const reason = reasonOf(error);
    const next = this.clock.now() + pauseAfter(attempts);
    if (!(error instanceof AppError)) this.logger.error('a delivery failed unexpectedly', { error, delivery: id });
    else if (error.code === 'address-not-allowed')
      this.logger.warn('a delivery may not go where it should', { error, delivery: id });
    if (isFinal(error) || next >= new Date(expires).getTime()) return this.finish(delivery, 'failed', reason);
    this.metrics.count(via, 'later');
    await this.em.execute(`update "delivery" set "reason" = ?, "next_attempt_at" = ? where "id" = ?`, [
      reason,
      new Date(next),
      id,
    ]);
  }

  /** Without a reason, the one of the last attempt is kept. */
  private async finish({ id, via }: Claimed, status: 'sent' | 'failed', reason?: string): Promise<void> {
    const [row] = await this.em.execute<FailedDelivery[]>(
      `update "delivery" set "status" = ?, "reason" = coalesce(?, "reason"), "sealed_payload" = null, "finished_at" = ? where "id" = ?
       returning "user_id" as "userId", "via", "target", "reason"`,
      [status, reason ?? null, new Date(this.clock.now()), id],
    );
    this.metrics.count(via, status);
    if (row && status === 'failed') await this.deliveries.giveUp(row);
  }

  private isCleaned(): boolean {
    return this.clock.monotonic() - this.cleanedAt < CLEAN_EVERY_MS;
  }

  private async clean(): Promise<void> {
    if (this.isCleaned()) return;
    this.cleanedAt = this.clock.monotonic();
    await this.em.execute(`delete from "delivery" where "status" <> 'waiting' and "created_at" < ?`, [
      new Date(this.clock.now() - KEPT_DAYS * 24 * 60 * 60_000),
    ]);
  }
}

const isFinal = (error: unknown): boolean =>
  !(error instanceof AppError) || error.details.params?.final === true || error.code === 'address-not-allowed';

/**
 * The reason is shown to the recipient and to administrators, so it contains no internals and no advice that only an
 * operator could follow.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof AppError)) return '系统内部错误，请联系管理员';
  const { host } = error.details.params ?? {};
  const text =
    error.code === 'address-not-allowed' && host !== undefined ? addressNotAllowed(String(host)) : error.message;
  return text.slice(0, MAX_REASON);
}
