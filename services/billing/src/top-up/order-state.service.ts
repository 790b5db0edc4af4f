import { EntityManager, type FilterQuery, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { topUpCompleted, topUpRefunded } from '@tollgate/contracts';
import type { PaymentProvider, refundSchema } from '@tollgate/contracts/api/top-up';
import {
  AppError,
  type Caller,
  Clock,
  KeyValue,
  Lifecycle,
  Logger,
  periodically,
  storableText,
} from '@tollgate/chassis';
import { isErased, Outbox } from '@tollgate/database';
import { RequestContext } from '@mikro-orm/core';
import type { z } from 'zod';
import { QuotaTexts } from '../account/quota-texts.js';
import { RankGuard } from '../account/rank-guard.js';
import { WalletMovements } from '../account/wallet-movements.js';
import { ApprovalDesk } from '../approval/approval-desk.js';
import type { Approval } from '../approval/approval.entity.js';
import { House } from '../journal/journal.service.js';
import type { Callback, Reading } from '../payment/payment-gateway.js';
import { PaymentGateways } from '../payment/payment-gateways.js';
import {
  isAccepted,
  isCredit,
  isSigned,
  judge,
  nextStatus,
  ofOwner,
  UNSIGNED_VERDICTS,
  type Verdict,
} from './judge.js';
import { TopUpOrder, TopUpStep } from './top-up-order.entity.js';

interface ReceivedCallback {
  reading: Exclude<Reading, { kind: 'ignored' }>;
  tradeNo: string;
  raw: string;
  isOwnerGone: boolean;
}

type RefundTerms = z.output<typeof refundSchema>;

const EXPIRY_CHECK_MS = 30_000;
const HELD_BACK_CHECK_MS = 60_000;
const EXPIRED_AT_ONCE = 500;
const HELD_BACK_AT_ONCE = 100;
/**
 * Most steps stored per order, enough to see what happened; limited because anybody may send callbacks. Unsigned ones
 * are counted apart, so that they take no space from those that the provider signed.
 */
const STEPS_OF_ONE_ORDER = 50;
const UNMATCHED_OF_A_MINUTE = { limit: 60, windowMs: 60_000 };
/**
 * Callbacks without an order are kept forever. Forged ones, which anybody may send, take at most two megabytes a day.
 */
export const UNMATCHED_OF_A_DAY = { limit: 1_000, windowMs: 24 * 60 * 60 * 1_000 };
const MAX_RAW = 16_000;
const MAX_UNMATCHED_RAW = 500;

/**
 * Changes the status of orders: paid, contradicted, expired, refunded. Each change is stored in the same transaction
 * with what caused it.
 */
@Injectable()
export class OrderStateService {
  /** Id of the last order that `creditHeldBack` has handled. */
  private heldBackAfter = 0;

  constructor(
    private readonly em: EntityManager,
    private readonly gateways: PaymentGateways,
    private readonly wallets: WalletMovements,
    private readonly outbox: Outbox,
    private readonly texts: QuotaTexts,
    private readonly ranks: RankGuard,
    private readonly desk: ApprovalDesk,
    private readonly keyValue: KeyValue,
    private readonly clock: Clock,
    private readonly logger: Logger,
    lifecycle: Lifecycle,
  ) {
    periodically({ lifecycle, logger }, 'expiry of orders', EXPIRY_CHECK_MS, () =>
      RequestContext.create(em, () => this.expire()),
    );
    periodically({ lifecycle, logger }, 'payments held back', HELD_BACK_CHECK_MS, () =>
      RequestContext.create(em, () => this.creditHeldBack()),
    );
  }

  /** Applies a provider's report. Returns true when it is committed, so that the provider need not repeat it. */
  async receive(provider: PaymentProvider, callback: Callback): Promise<boolean> {
    const reading = this.gateways.of(provider).read(callback);
    if (reading.kind === 'ignored') return true;
    const tradeNo = storableText(reading.kind === 'notice' ? reading.notice.tradeNo : reading.tradeNo).slice(0, 200);
    const raw = rawOf(callback);
    const isOwnerGone = await this.isOwnerGone(tradeNo);
    let verdict: Verdict;
    try {
      verdict = await this.em.transactional(() => this.apply(provider, { reading, tradeNo, raw, isOwnerGone }));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.logger.error('a payment could not be credited', { provider, tradeNo, error });
      await this.keepUncredited({ tradeNo, raw, reason: error.message });
      return false;
    }
    if (!isAccepted(verdict)) this.logger.warn('a payment callback was not believed', { provider, tradeNo, verdict });
    return isAccepted(verdict);
  }

  /** Marks pending orders as expired when their time is over. */
  async expire(): Promise<void> {
    const now = new Date(this.clock.now());
    await this.em.transactional(async () => {
      const rows = await this.em.execute<{ id: number; trade_no: string }[]>(
        `update "top_up_order" set "status" = 'expired' where "id" in (
           select "id" from "top_up_order" where "status" = 'pending' and "expires_at" <= ? order by "id" limit ? for update skip locked
         ) returning "id", "trade_no"`,
        [now.toISOString(), EXPIRED_AT_ONCE],
      );
      if (rows.length === 0) return;
      const steps = rows.map(({ id, trade_no: tradeNo }) => ({
        ...{ orderId: id, tradeNo, happenedAt: now, kind: 'expired' as const },
        ...{ fromStatus: 'pending', toStatus: 'expired' },
      }));
      await this.em.insertMany(TopUpStep, steps);
    });
  }

  /**
   * Credits payments that were accepted but did not fit into their wallet, as soon as they fit, whether or not the
   * provider repeats its report. Each run continues after the previous one, so that payments that never fit do not
   * block others.
   */
  async creditHeldBack(): Promise<void> {
    const rows = await this.em.execute<{ id: number; trade_no: string }[]>(
      `select o."id", o."trade_no" from "top_up_step" s join "top_up_order" o on o."id" = s."order_id"
       where s."verdict" = 'not-credited' and o."status" not in ('paid', 'refunded') and o."id" > ?
       group by o."id", o."trade_no" order by o."id" limit ?`,
      [this.heldBackAfter, HELD_BACK_AT_ONCE],
    );
    this.heldBackAfter = rows.length < HELD_BACK_AT_ONCE ? 0 : (rows.at(-1)?.id ?? 0);
    for (const { trade_no: tradeNo } of rows) {
      const isOwnerGone = await this.isOwnerGone(tradeNo);
      try {
        await this.em.transactional(() => this.creditLater(tradeNo, isOwnerGone));
      } catch (error) {
        // A failure must not block the other payments. A payment that still does not fit is not logged again.
        if (!(error instanceof AppError)) this.logger.error('a payment that was held back failed', { tradeNo, error });
      }
    }
  }

  /**
   * Takes back the quota of a paid order, once. The money itself is refunded at the provider. Throws
   * `approval-required` where another administrator has to agree first.
   */
  async refund(id: number, terms: RefundTerms, caller: Caller): Promise<void> {
    const known = await this.em.findOne(TopUpOrder, { id }, { disableIdentityMap: true });
    if (!known) throw orderMissing(id);
    await this.ranks.requireAbove(caller, known.userId);
    const outcome = await this.em.transactional(async () => {
      const order = await this.lockPaid(id);
      if (!this.desk.needs('refund', order.quota)) return this.takeBack(order, terms, caller.userId);
      const { tradeNo, userId, quota } = order;
      if (!terms.allow_negative) await this.wallets.requireCovered(userId, quota);
      return this.desk.request({
        kind: 'refund',
        command: `refund:${tradeNo}:${caller.requestId}`,
        ...{ userId, change: -quota, subject: tradeNo, reason: terms.reason, requesterId: caller.userId },
        payload: { orderId: id, terms },
      });
    });
    if (outcome) throw outcome;
  }

  /** Joins the transaction of the approval. */
  async carryOut({ payload, requesterId }: Approval): Promise<void> {
    const { orderId, terms } = payload as { orderId: number; terms: RefundTerms };
    await this.takeBack(await this.lockPaid(orderId), terms, requesterId);
  }

  private async lockPaid(id: number): Promise<TopUpOrder> {
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    const order = await this.em.findOneOrFail(TopUpOrder, { id }, { lockMode, refresh: true });
    if (order.status !== 'paid')
      throw new AppError('conflict', 'top-up-not-paid', '只能退款已支付的订单', { params: { status: order.status } });
    return order;
  }

  private async takeBack(
    order: TopUpOrder,
    { reason, allow_negative: mayOverdraw }: RefundTerms,
    actorId: number,
  ): Promise<void> {
    const { userId, tradeNo, quota } = order;
    const by = { actorId, reason };
    const movement = {
      code: 'refund',
      reference: tradeNo,
      counterpart: House.payments,
      userId,
      amount: quota,
    } as const;
    const posted = await this.wallets.withdraw({ ...movement, ...by }, mayOverdraw);
    if (posted === undefined) throw new Error(`order ${tradeNo} was refunded in the journal before`);
    order.status = 'refunded';
    order.refundedAt = new Date(this.clock.now());
    await this.note(order, { kind: 'refunded', fromStatus: 'paid', ...by });
    await this.desk.closeDone({ kind: 'refund', subject: tradeNo });
    await this.outbox.add(topUpRefunded, { ...this.factsOf(order), ...by }, posted);
  }

  private async apply(
    provider: PaymentProvider,
    { reading, tradeNo, raw, isOwnerGone }: ReceivedCallback,
  ): Promise<Verdict> {
    const order = await this.em.findOne(
      TopUpOrder,
      { tradeNo },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    );
    const verdict = ofOwner(judge(reading, provider, order ?? undefined), isOwnerGone);
    if (!order) {
      await this.noteUnmatched(tradeNo, verdict, raw);
      return verdict;
    }
    const fromStatus = order.status;
    order.status = nextStatus(fromStatus, verdict);
    const posted = isCredit(verdict) ? await this.credit(order) : undefined;
    const changes = order.status !== fromStatus;
    const alike = isSigned(verdict) ? { $nin: UNSIGNED_VERDICTS } : { $in: UNSIGNED_VERDICTS };
    if (changes || (await this.hasRoom({ orderId: order.id, verdict: alike })))
      await this.note(order, { kind: 'callback', verdict, fromStatus, raw });
    if (posted !== undefined) await this.outbox.add(topUpCompleted, this.factsOf(order), posted);
    return verdict;
  }

  private async creditLater(tradeNo: string, isOwnerGone: boolean): Promise<void> {
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    const order = await this.em.findOneOrFail(TopUpOrder, { tradeNo }, { lockMode, refresh: true });
    const fromStatus = order.status;
    if (fromStatus === 'paid' || fromStatus === 'refunded') return;
    const verdict = ofOwner(fromStatus === 'expired' ? 'late' : 'credited', isOwnerGone);
    order.status = nextStatus(fromStatus, verdict);
    const posted = await this.credit(order);
    await this.note(order, { kind: 'callback', verdict, fromStatus, reason: '账户已能容纳该额度，自动入账' });
    await this.outbox.add(topUpCompleted, this.factsOf(order), posted);
  }

  /**
   * Stores the report in a new transaction, because the one that should have credited it was rolled back. The order can
   * still be credited later.
   */
  private async keepUncredited({ tradeNo, ...told }: { tradeNo: string; raw: string; reason: string }): Promise<void> {
    const verdict = 'not-credited';
    await this.em.transactional(async () => {
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      const order = await this.em.findOne(TopUpOrder, { tradeNo }, { lockMode, refresh: true });
      // Counted apart, so that repetitions of other reports take no space from it.
      if (order && (await this.hasRoom({ orderId: order.id, verdict })))
        await this.note(order, { kind: 'callback', verdict, fromStatus: order.status, ...told });
    });
  }

  private async credit(order: TopUpOrder): Promise<string> {
    order.paidAt = new Date(this.clock.now());
    const { userId, tradeNo, quota } = order;
    const movement = {
      code: 'top-up',
      reference: tradeNo,
      counterpart: House.payments,
      userId,
      amount: quota,
    } as const;
    const posted = await this.wallets.deposit(movement);
    if (posted === undefined) throw new Error(`order ${tradeNo} was credited in the journal before`);
    return posted;
  }

  /** Checked before the order is locked. If identity is unavailable, the payment is not delayed. */
  private async isOwnerGone(tradeNo: string): Promise<boolean> {
    const order = await this.em.findOne(TopUpOrder, { tradeNo }, { fields: ['userId'], disableIdentityMap: true });
    if (!order) return false;
    try {
      return !(await this.ranks.exists(order.userId));
    } catch (error) {
      this.logger.warn('nobody could say whose a paid order is', { tradeNo, error });
      return false;
    }
  }

  private async note(
    { id: orderId, userId, tradeNo, status: toStatus }: TopUpOrder,
    step: Pick<TopUpStep, 'kind' | 'fromStatus'> & Partial<TopUpStep>,
  ): Promise<void> {
    await this.em.flush();
    // What the provider sent may name the payer, so it is not stored for an erased user.
    const raw = step.raw !== undefined && (await isErased(this.em, userId)) ? null : step.raw;
    const happenedAt = new Date(this.clock.now());
    await this.em.insert(TopUpStep, { orderId, tradeNo, toStatus, happenedAt, ...step, raw });
  }

  private async noteUnmatched(tradeNo: string, verdict: Verdict, raw: string): Promise<void> {
    // Counted separately, so that forged callbacks take no space from those that a provider signed.
    const key = `unmatched-callbacks:${isSigned(verdict) ? 'signed' : 'forged'}`;
    if (!(await this.admits(key, UNMATCHED_OF_A_MINUTE)) || !(await this.admits(`${key}:day`, UNMATCHED_OF_A_DAY)))
      return;
    const happenedAt = new Date(this.clock.now());
    const shortened = raw.slice(0, MAX_UNMATCHED_RAW);
    await this.em.insert(TopUpStep, { orderId: null, tradeNo, happenedAt, kind: 'callback', verdict, raw: shortened });
  }

  private async admits(key: string, { limit, windowMs }: { limit: number; windowMs: number }): Promise<boolean> {
    return (await this.keyValue.admit(key, limit, windowMs)).admitted;
  }

  private async hasRoom(steps: FilterQuery<TopUpStep>): Promise<boolean> {
    return (await this.em.count(TopUpStep, steps)) < STEPS_OF_ONE_ORDER;
  }

  private factsOf({ id: orderId, userId, tradeNo, provider, method, quota, money, currency }: TopUpOrder) {
    return { orderId, userId, tradeNo, provider, method, quota, money, currency, quotaText: this.texts.logText(quota) };
  }
}

export const orderMissing = (id: number): AppError =>
  new AppError('not-found', 'top-up-order-not-found', '订单不存在', { params: { id } });

/** The received data as text: the body of a POST, otherwise the query. */
const rawOf = ({ query, body }: Callback): string =>
  storableText(body.length > 0 ? body.toString('utf8') : new URLSearchParams(query).toString()).slice(0, MAX_RAW);
