import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { TopUpPayReply } from '@tollgate/contracts/api/top-up';
import {
  AppError,
  type Caller,
  Clock,
  Host,
  KeyValue,
  Logger,
  OptionStore,
  unixSeconds,
  ownAddress,
} from '@tollgate/chassis';
import type { PaymentGateway } from '../payment/payment-gateway.js';
import { PaymentGateways } from '../payment/payment-gateways.js';
import { newTradeNo } from '../payment/trade-number.js';
import { Account } from '../account/account.entity.js';
import { QuotaTexts } from '../account/quota-texts.js';
import { isTooCheap, leastAmount, type Quote, quoteOf, topUpRatio } from './quote.js';
import { type OrderTerms, TopUpOrder, TopUpStep } from './top-up-order.entity.js';

/** Time for paying, in milliseconds. A later payment is still credited. */
const ORDER_LIFETIME_MS = 60 * 60_000;
/** Most new orders of one user in this time; each is a row that is kept forever. */
const NEW_ORDERS = { limit: 60, windowMs: 10 * 60_000 };
const CHECKOUT_FAILED = '拉起支付失败';

/** Creates orders. Their further changes are made by `OrderStateService`. */
@Injectable()
export class TopUpService {
  constructor(
    private readonly em: EntityManager,
    private readonly gateways: PaymentGateways,
    private readonly options: OptionStore,
    private readonly texts: QuotaTexts,
    private readonly keyValue: KeyValue,
    private readonly host: Host,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** The price of an amount for the caller, checked as for paying. */
  quote(caller: Caller, amount: number): Quote {
    return this.priced(caller, amount, this.gateways.of('epay'));
  }

  private priced(caller: Caller, amount: number, gateway: PaymentGateway): Quote {
    const terms = {
      ...this.texts.display,
      price: gateway.price(),
      ratio: topUpRatio(this.options.get('TopupGroupRatio'), caller.group),
    };
    const least = leastAmount(this.options.get('MinTopUp'), terms);
    if (amount < least)
      throw new AppError('invalid', 'top-up-below-minimum', `充值数量不能小于 ${least}`, {
        field: 'amount',
        params: { least },
      });
    const quote = quoteOf(amount, terms);
    if (!quote) throw tooLarge();
    if (isTooCheap(quote.money)) throw new AppError('invalid', 'top-up-too-cheap', '充值金额过低', { field: 'amount' });
    return quote;
  }

  /** Stores the order before it can be paid, and returns where to pay. */
  async begin(caller: Caller, amount: number, asked: string): Promise<TopUpPayReply> {
    const { gateway, method } = this.gateways.for(asked);
    const quote = this.priced(caller, amount, gateway);
    if (!gateway.isConfigured()) throw new AppError('conflict', 'payment-not-configured', '当前管理员未配置支付信息');
    await this.requireRoom(caller.userId, quote.quota);
    const order = await this.store({ userId: caller.userId, amount, method, ...quote }, gateway);
    const { url, fields } = await this.checkout(order, gateway);
    return { success: true, message: 'success', url, data: fields, trade_no: order.tradeNo };
  }

  private async store(
    input: { userId: number; amount: number; method: string; quota: number; money: string },
    gateway: PaymentGateway,
  ): Promise<TopUpOrder> {
    const now = this.clock.now();
    return this.em.transactional(async (em) => {
      const order = em.create(TopUpOrder, {
        ...input,
        tradeNo: newTradeNo(input.userId, this.clock.seconds()),
        provider: gateway.provider,
        merchant: gateway.merchant(),
        currency: gateway.currency(),
        createdAt: new Date(now),
        expiresAt: new Date(now + ORDER_LIFETIME_MS),
      });
      await em.flush();
      await em.insert(TopUpStep, {
        ...{ orderId: order.id, tradeNo: order.tradeNo, happenedAt: order.createdAt, actorId: input.userId },
        ...{ kind: 'created', toStatus: 'pending', terms: termsOf(order) },
      });
      return order;
    });
  }

  private async checkout(order: TopUpOrder, gateway: PaymentGateway): ReturnType<PaymentGateway['checkout']> {
    const { tradeNo, method, amount, money, currency, expiresAt } = order;
    const home = ownAddress(this.options, this.host);
    const callbacks = this.options.get('CustomCallbackAddress') || home;
    try {
      return await gateway.checkout({
        ...{ tradeNo, method, money, currency, title: `TUC${amount}` },
        notifyUrl: `${callbacks}/api/user/${gateway.provider}/notify`,
        returnUrl: home + gateway.returnPath(tradeNo),
        expiresAt: unixSeconds(expiresAt),
      });
    } catch (error) {
      this.logger.warn('a payment provider made no checkout', { provider: gateway.provider, tradeNo, error });
      await this.refuse(order.id, CHECKOUT_FAILED);
      throw new AppError('upstream', 'checkout-failed', CHECKOUT_FAILED, { cause: error });
    }
  }

  /**
   * Refuses an order without a checkout. If the provider did create one and only its reply was lost, a payment is still
   * credited.
   */
  private async refuse(id: number, reason: string): Promise<void> {
    await this.em.transactional(async (em) => {
      const order = await em.findOneOrFail(TopUpOrder, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
      if (order.status !== 'pending') return;
      order.status = 'refused';
      await em.flush();
      await em.insert(TopUpStep, {
        ...{ orderId: id, tradeNo: order.tradeNo, happenedAt: new Date(this.clock.now()), reason },
        ...{ kind: 'checkout-failed', fromStatus: 'pending', toStatus: 'refused' },
      });
    });
  }

  /**
   * Throws where the payment would exceed what the wallet can count, or the user has created too many orders recently.
   */
  private async requireRoom(userId: number, quota: number): Promise<void> {
    const account = await this.em.findOne(Account, { userId }, { fields: ['credit'], disableIdentityMap: true });
    if (!Number.isSafeInteger((account?.credit ?? 0) + quota)) throw tooLarge();
    if (this.host.env.TOLLGATE_RATE_LIMITS === 'off') return;
    const { limit, windowMs } = NEW_ORDERS;
    const { admitted, retryAfterMs } = await this.keyValue.admit(`top-up-orders:${userId}`, limit, windowMs);
    if (!admitted)
      throw new AppError('rate-limited', 'too-many-orders', '未支付的订单过多，请稍后再试', {
        retryAfter: retryAfterMs / 1000,
      });
  }
}

function termsOf({ userId, provider, method, merchant, amount, quota, money, currency }: TopUpOrder): OrderTerms {
  return { userId, provider, method, merchant, amount, quota, money, currency };
}

const tooLarge = (): AppError => new AppError('invalid', 'top-up-too-large', '充值数量过大', { field: 'amount' });
