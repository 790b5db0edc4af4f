import { z } from 'zod';
import { lenientInteger, pageFromOneSchema } from '../envelope.js';
import { mostAtOnce } from '../quota-limits.js';
import { lengthFault, textLimits } from '../text-limits.js';
import { fieldOr, hasNoNul, idField, LAST_SECOND, optionalField } from './fields.js';

/** 1 unused, 2 disabled, 3 used. */
export const RedemptionStatus = { unused: 1, disabled: 2, used: 3 } as const;

/** A code that can be redeemed once for quota, as administrators see it. `key` is complete, because codes are copied from the list. */
export const redemptionSchema = z.object({
  id: z.int(),
  /** The administrator who created it. */
  user_id: z.int(),
  key: z.string(),
  status: z.int(),
  name: z.string(),
  quota: z.int(),
  created_time: z.int(),
  /** 0 if not redeemed. */
  redeemed_time: z.int(),
  /** 0 if not redeemed. */
  used_user_id: z.int(),
  /** ISO time; always null in lists. */
  DeletedAt: z.string().nullable().optional(),
  /** Additive, Unix seconds; 0 for no expiry. An unused code is not accepted after this time. */
  expired_time: z.int(),
});
export type Redemption = z.infer<typeof redemptionSchema>;

const invalid = '无效的参数';
const badName = '兑换码名称长度必须在1-20之间';
const unitsText = '兑换码额度必须大于0';

/** A single line, because codes are exported one per line with their name. */
const name = z
  .string(badName)
  .refine(hasNoNul, invalid)
  .refine((text) => !/[\r\n]/.test(text.trim()), invalid)
  .trim()
  .refine((text) => !lengthFault(text, textLimits.redemptionName), badName);
/** A number too large to be exact gets the message for exceeding the limit. */
const wholeUpTo = (most: number, text: string, beyond: string) =>
  z
    .int({ error: ({ input }) => (typeof input === 'number' && input > most ? beyond : text) })
    .positive(text)
    .max(most, beyond);
const quota = wholeUpTo(mostAtOnce, unitsText, `兑换码额度不能大于 ${mostAtOnce}`);
const badExpiry = '过期时间格式错误！';
const expiredTime = z.int(badExpiry).min(0, badExpiry).max(LAST_SECOND, badExpiry);
const mostCodes = 100;

/** The server also refuses an expiry in the past. */
export const createRedemptionSchema = z
  .object({
    name: z.preprocess((text) => text ?? '', name),
    count: wholeUpTo(mostCodes, '兑换码个数必须大于0', `一次兑换码批量生成的个数不能大于 ${mostCodes}`),
    quota,
    expired_time: fieldOr(expiredTime, 0),
  })
  .superRefine(({ count, quota: each }, context) => {
    if (count * each <= mostAtOnce) return;
    const message = `一批兑换码的总额度不能大于 ${mostAtOnce}`;
    context.addIssue({
      code: 'too_big',
      origin: 'int',
      maximum: Math.floor(mostAtOnce / count),
      message,
      path: ['quota'],
    });
  });
export type CreateRedemption = z.input<typeof createRedemptionSchema>;

/** Absent fields stay unchanged; the status has its own call. */
export const updateRedemptionSchema = z.object({
  id: idField(invalid),
  name: name.optional(),
  quota: quota.optional(),
  expired_time: optionalField(expiredTime),
  /** Additive: values that fields must have, as in the reply of `GET`, for the change to be made. */
  expected: redemptionSchema.pick({ name: true, quota: true, expired_time: true }).partial().optional(),
});
export type UpdateRedemption = z.input<typeof updateRedemptionSchema>;

/** `PUT /api/redemption?status_only=true`. */
export const updateRedemptionStatusSchema = z.object({
  id: idField(invalid),
  status: z.union([z.literal(RedemptionStatus.unused), z.literal(RedemptionStatus.disabled)], invalid),
});
export type UpdateRedemptionStatus = z.input<typeof updateRedemptionStatusSchema>;

/**
 * `keyword` is an id or the beginning of a name. `status` is additive; 0 or an unknown value means no filter. A `p` below 1 returns the
 * first page and is echoed as 0.
 */
export const redemptionListQuerySchema = z
  .object({
    keyword: z.string(invalid).refine(hasNoNul, invalid).default(''),
    status: z.preprocess((value) => Number(value) || 0, z.int().catch(0)),
    p: lenientInteger(1),
  })
  .and(pageFromOneSchema);
export type RedemptionListQuery = z.output<typeof redemptionListQuerySchema>;

/** Number and sum of the codes with one status; a sum beyond the safe integers is capped. */
export const redemptionSumSchema = z.object({ status: z.int(), count: z.int(), quota: z.int() });
export type RedemptionSum = z.infer<typeof redemptionSumSchema>;

/** `POST /api/user/topup`. */
export const redeemSchema = z.object({
  key: z.preprocess(
    (text) => text ?? '',
    z
      .string('兑换失败，无效的兑换码')
      .trim()
      .min(1, '兑换失败，未提供兑换码')
      .max(200, '兑换失败，无效的兑换码')
      .refine(hasNoNul, '兑换失败，无效的兑换码'),
  ),
});
