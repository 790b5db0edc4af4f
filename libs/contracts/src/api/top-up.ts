import { z } from 'zod';
import { pageFromOneSchema } from '../envelope.js';
import { textLimits } from '../text-limits.js';
import { hasNoNul, idFilter, momentFilter, wordFilter } from './fields.js';
import { topUpStatuses, topUpVerdicts } from './top-up-statuses.js';

export { topUpStatuses, type TopUpStatus, type TopUpVerdict } from './top-up-statuses.js';

/** Payment providers. */
export const paymentProviders = ['epay', 'stripe'] as const;
export type PaymentProvider = (typeof paymentProviders)[number];

const wrong = '参数错误';
const whole = z.preprocess(
  (value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
  z.int(wrong),
);

/** `POST /api/user/amount`: whole USD, or units if the currency is not displayed. `top_up_code` is accepted and ignored. */
export const topUpAmountSchema = z.object({ amount: whole });
/** `POST /api/user/pay`: `zfb` Alipay, `stripe` a card page, anything else WeChat, also what is no text. */
export const topUpPaySchema = z.object({ amount: whole, payment_method: z.string().default('').catch('') });
export type TopUpPay = z.input<typeof topUpPaySchema>;

/** The two calls depart from the envelope: `message` is `success` or `error`, and `data` holds the result or the reason. */
export const topUpAmountReplySchema = z.object({
  success: z.literal(true),
  message: z.literal('success'),
  /** The price with two decimals. */
  data: z.string(),
});

/** The browser posts `data` as a form to `url`; without fields it navigates there. */
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
  /** As requested: whole USD, or units if the currency was not displayed. */
  amount: z.int(),
  /** Units to credit after payment. */
  quota: z.int(),
  /** Exact decimal with two digits. */
  money: z.string(),
  currency: z.string(),
  create_time: z.int(),
  /** When a pending order expires. */
  expire_time: z.int(),
  /** 0 if not paid. */
  complete_time: z.int(),
  /** 0 if not refunded. */
  refund_time: z.int(),
});
export type TopUpOrder = z.infer<typeof topUpOrderSchema>;

/** One step of an order: what happened, the verdict, and the reason. */
export const topUpStepSchema = z.object({
  id: z.int(),
  time: z.int(),
  kind: z.enum(['created', 'checkout-failed', 'callback', 'expired', 'refunded']),
  /** For a callback; empty for other steps. */
  verdict: z.enum([...topUpVerdicts, '']),
  from: z.string(),
  to: z.string(),
  /** For administrators only; 0 for the system or the provider. */
  actor_id: z.int().optional(),
  /** Only for administrators who rank above the owner: the raw callback, including its signature. */
  raw: z.string().optional(),
  reason: z.string(),
});
export type TopUpStep = z.infer<typeof topUpStepSchema>;

export const topUpDetailSchema = topUpOrderSchema.extend({ steps: z.array(topUpStepSchema) });
export type TopUpDetail = z.infer<typeof topUpDetailSchema>;

const filterText = z.string(wrong).max(100, wrong).refine(hasNoNul, wrong).default('');
const moment = momentFilter(wrong);

/** `keyword` matches a part of the order number; times are Unix seconds of the order's creation, both inclusive. */
export const topUpListQuerySchema = z
  .object({
    keyword: filterText,
    status: wordFilter(topUpStatuses, wrong),
    provider: wordFilter(paymentProviders, wrong),
    /** For administrators; 0 for all users. */
    user_id: idFilter,
    start_timestamp: moment,
    end_timestamp: moment,
  })
  .and(pageFromOneSchema);
export type TopUpListQuery = z.output<typeof topUpListQuerySchema>;

/** The refund removes the quota from the wallet by a posting; the money must be returned at the provider by hand. */
export const refundSchema = z.object({
  reason: z
    .string('请填写退款原因')
    .trim()
    .min(1, '请填写退款原因')
    .max(textLimits.reason.most, `原因最多 ${textLimits.reason.most} 个字符`)
    .refine(hasNoNul, wrong),
  /** Allows the wallet to become negative if the quota has been spent already. */
  allow_negative: z.boolean(wrong).default(false),
});
export type Refund = z.input<typeof refundSchema>;
