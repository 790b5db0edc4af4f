import { type FilterQuery, raw } from '@mikro-orm/core';
import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { adminAction, type AuditAction, type Page } from '@tollgate/contracts';
import { MAX_ID } from '@tollgate/contracts/api/fields';
import type {
  createRedemptionSchema,
  Redemption as RedemptionReply,
  RedemptionListQuery,
  RedemptionSum,
  updateRedemptionSchema,
  UpdateRedemptionStatus,
} from '@tollgate/contracts/api/redemption';
import { AppError, changedNames, Clock, refuseOverwriting, SecretBox } from '@tollgate/chassis';
import { findPage, Outbox, startPattern, toPage } from '@tollgate/database';
import type { z } from 'zod';
import { units } from '../units.js';
import { newRedemptionKey, sealRedemptionKey, shownRedemptionKey } from './redemption-key.js';
import { Redemption } from './redemption.entity.js';
import { toRedemptionReply } from './redemption.reply.js';

const CHANGED = { code: 'redemption-changed-meanwhile', message: '该兑换码已被他人修改，请刷新后重试' };

/** Administrators' management of codes. Every change is written to the audit log, without the code itself. */
@Injectable()
export class RedemptionService {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: Outbox,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
  ) {}

  /** Newest first. */
  async list(query: RedemptionListQuery): Promise<Page<RedemptionReply>> {
    const [rows, total] = await findPage(this.em, Redemption, whereOf(query), query);
    const page = toPage(rows, total, query, (row) => this.toReply(row));
    return query.p < 1 ? { ...page, page: 0 } : page;
  }

  async sums(): Promise<RedemptionSum[]> {
    const rows = await this.em.execute<{ status: number; count: unknown; quota: unknown }[]>(
      `select "status", count(*) as "count", least(sum("quota"), ?) as "quota" from "redemption"
       where "deleted_at" is null group by "status" order by "status"`,
      [Number.MAX_SAFE_INTEGER],
    );
    return rows.map(({ status, count, quota }) => ({ status, count: units(count), quota: units(quota) }));
  }

  async get(id: number): Promise<RedemptionReply> {
    return this.toReply(await this.find(id));
  }

  /** Creates all codes or none. Returns the codes. */
  async create(input: z.output<typeof createRedemptionSchema>, actorId: number): Promise<string[]> {
    const { name, count, quota, expired_time: expiredTime } = input;
    this.requireFuture(expiredTime);
    const keys = Array.from({ length: count }, newRedemptionKey);
    await this.em.transactional(async (em) => {
      const createdTime = this.clock.seconds();
      const made = keys.map((key) =>
        em.create(Redemption, {
          ...sealRedemptionKey(this.secrets, key),
          ...{ userId: actorId, name, quota, createdTime, expiredTime },
        }),
      );
      await em.flush();
      await this.outbox.add(adminAction, {
        actorId,
        action: 'redemption-create',
        subject: `redemption:${made[0]?.id ?? 0}`,
        after: { name, quota, count, ids: made.map(({ id }) => id), expiredTime },
      });
    });
    return keys;
  }

  /** Changes the fields that the body contains, except the status. */
  async update(input: z.output<typeof updateRedemptionSchema>, actorId: number): Promise<RedemptionReply> {
    return this.change(input.id, { actorId, action: 'redemption-update' }, (redemption) => {
      redemption.requireUnused();
      const changed = changedNames({ ...this.toReply(redemption) }, input.expected);
      refuseOverwriting(changed, { ...CHANGED, id: input.id });
      const { expired_time: expiredTime = redemption.expiredTime } = input;
      if (expiredTime !== redemption.expiredTime) this.requireFuture(expiredTime);
      redemption.name = input.name ?? redemption.name;
      redemption.quota = input.quota ?? redemption.quota;
      redemption.expiredTime = expiredTime;
    });
  }

  async setStatus(id: number, status: UpdateRedemptionStatus['status'], actorId: number): Promise<RedemptionReply> {
    return this.change(id, { actorId, action: 'redemption-status' }, (redemption) => {
      redemption.requireUnredeemed();
      redemption.status = status;
    });
  }

  async delete(id: number, actorId: number): Promise<void> {
    await this.change(id, { actorId, action: 'redemption-delete' }, (redemption) => {
      redemption.deletedAt = new Date(this.clock.now());
    });
  }

  private async change(
    id: number,
    by: { actorId: number; action: AuditAction },
    apply: (redemption: Redemption) => void,
  ): Promise<RedemptionReply> {
    return this.em.transactional(async (em) => {
      const redemption = await this.find(id, LockMode.PESSIMISTIC_WRITE);
      const before = factsOf(redemption);
      apply(redemption);
      await em.flush();
      const after = factsOf(redemption);
      await this.outbox.add(adminAction, { ...by, subject: `redemption:${id}`, before, after });
      return this.toReply(redemption);
    });
  }

  private async find(id: number, lockMode?: LockMode.PESSIMISTIC_WRITE): Promise<Redemption> {
    const redemption =
      id > MAX_ID
        ? null
        : await this.em.findOne(Redemption, { id, deletedAt: null }, { ...(lockMode && { lockMode }), refresh: true });
    if (!redemption) throw new AppError('not-found', 'redemption-not-found', '兑换码不存在', { params: { id } });
    return redemption;
  }

  private requireFuture(expiredTime: number): void {
    if (expiredTime !== 0 && expiredTime <= this.clock.seconds())
      throw new AppError('invalid', 'redemption-expiry-past', '过期时间不能早于当前时间', {
        field: 'expired_time',
      });
  }

  private toReply(redemption: Redemption): RedemptionReply {
    return toRedemptionReply(redemption, shownRedemptionKey(this.secrets, redemption.keySealed));
  }
}

function whereOf({ keyword, status }: RedemptionListQuery): FilterQuery<Redemption> {
  const text = keyword.trim();
  // A number too large for an id may still be the beginning of a name.
  const id = /^\d{1,10}$/.test(text) && Number(text) <= MAX_ID ? Number(text) : undefined;
  // The database lowers both sides, so that they agree and the index is used.
  const named = { [raw('lower(name) like lower(?)', [startPattern(text)])]: [] };
  return {
    deletedAt: null,
    ...(status !== 0 && { status }),
    ...(text !== '' && { $or: id === undefined ? [named] : [{ id }, named] }),
  };
}

const factsOf = ({ name, quota, status, expiredTime, deletedAt }: Redemption): Record<string, unknown> => ({
  name,
  quota,
  status,
  expiredTime,
  deleted: Boolean(deletedAt),
});
