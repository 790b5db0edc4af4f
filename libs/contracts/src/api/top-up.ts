import { z } from 'zod';
import { pageFromOneSchema } from '../envelope.js';
import { textLimits } from '../text-limits.js';
import { hasNoNul, idFilter, momentFilter, wordFilter } from './fields.js';
import { topUpStatuses, topUpVerdicts } from './top-up-statuses.js';

export { topUpStatuses, type TopUpStatus, topUpVerdicts, type TopUpVerdict } from './top-up-statuses.js';

/** Who takes the money. */
export const paymentProviders = ['epay', 'stripe'] as const;
export type PaymentProvider = (typeof paymentProviders)[number];

const wrong = '参数错误';
const whole = z.preprocess(
  (value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
  z.int(wrong),
);

/** `POST /api/user/amount`: whole USD, or units where the currency is not shown. `top_up_code` is taken and ignored. */
export const topUpAmountSchema = z.object({ amount: whole });
/** `POST /api/user/pay`: `zfb` Alipay, `stripe` a card page, anything else WeChat. */
export const topUpPaySchema = z.object({ amount: whole, payment_method: z.string(wrong).max(32, wrong).default('') });
export type TopUpPay = z.input<typeof topUpPaySchema>;

/** The two calls depart from the envelope: `message` says how it went and `data` says what. */
export const topUpAmountReplySchema = z.object({
  success: z.literal(true),
  message: z.literal('success'),
  /** What is to be paid, with two decimals. */
  data: z.string(),
});

/** The browser posts `data` as a form to `url`; without fields it just goes there. */
export const topUpPayReplySchema = z.object({
  success: z.literal(true),
  message: z.literal('success'),
  url: z.string(),
  data: z.record(z.string(), z.string()),
  /** Additive. */
  trade_no: z.string(),
});
export type TopUpPayReply = z.infer<typeof topUpPayReplySchema>;

export const topUpOrderSchema = z.object({
  id: z.int(),
  user_id: z.int(),
  trade_no: z.string(),
  provider: z.enum(paymentProviders),
  /** `alipay`, `wxpay`, `card`. */
  payment_method: z.string(),
  status: z.enum(topUpStatuses),
  /** As it was asked for: whole USD, or units where the currency was not shown. */
  amount: z.int(),
  /** Units that are credited once it is paid. */
  quota: z.int(),
  /** Exact decimal with two digits. */
  money: z.string(),
  currency: z.string(),
  create_time: z.int(),
  /** When a pending order expires. */
  expire_time: z.int(),
  /** 0: not paid. */
  complete_time: z.int(),
  /** 0: not refunded. */
  refund_time: z.int(),
});
export type TopUpOrder = z.infer<typeof topUpOrderSchema>;

/** One step of an order: what happened, what was decided about it, and what led to it. */
export const topUpStepSchema = z.object({
  id: z.int(),
  time: z.int(),
  kind: z.enum(['created', 'checkout-failed', 'callback', 'expired', 'refunded']),
  /** Of a callback; empty for other steps. */
  verdict: z.enum([...topUpVerdicts, '']),
  from: z.string(),
  to: z.string(),
  /** Administrators only: 0 is the system or the provider. */
  actor_id: z.int().optional(),
  /** Administrators above the owner only: what the provider sent, its signature included. */
  raw: z.string().optional(),
  reason: z.string(),
});
export type TopUpStep = z.infer<typeof topUpStepSchema>;

export const topUpDetailSchema = topUpOrderSchema.extend({ steps: z.array(topUpStepSchema) });
export type TopUpDetail = z.infer<typeof topUpDetailSchema>;

const filterText = z.string(wrong).max(100, wrong).refine(hasNoNul, wrong).default('');
const moment = momentFilter(wrong);

/** `keyword` finds order numbers by a part of them; times are Unix seconds of the order's creation, both inclusive. */
export const topUpListQuerySchema = z
  .object({
    keyword: filterText,
    status: wordFilter(topUpStatuses, wrong),
    provider: wordFilter(paymentProviders, wrong),
    /** For administrators; 0: everybody. */
    user_id: idFilter,
    start_timestamp: moment,
    end_timestamp: moment,
  })
  .and(pageFromOneSchema);
export type TopUpListQuery = z.output<typeof topUpListQuerySchema>;

/** The quota leaves the wallet by a posting; the money goes back at the provider, by hand. */
export const refundSchema = z.object({
  reason: z
    .string('请填写退款原因')
    .trim()
    .min(1, '请填写退款原因')
    .max(textLimits.reason.most, `原因最多 ${textLimits.reason.most} 个字符`)
    .refine(hasNoNul, wrong),
  /** Lets the wallet go below zero when the quota is spent already. */
  allow_negative: z.boolean(wrong).default(false),
});
export type Refund = z.input<typeof refundSchema>;
