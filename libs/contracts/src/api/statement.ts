import { z } from 'zod';
import { pageFromOneSchema } from '../envelope.js';
import { textLimits } from '../text-limits.js';
import { hasNoNul, idFilter } from './fields.js';
import { statementKeys, statementPeriods } from './statement-choices.js';

export { type StatementKey, statementKeys, type StatementPeriod, statementPeriods } from './statement-choices.js';

const wrong = '参数错误';
/** The longest span of one statement. */
const MAX_STATEMENT_DAYS = 366;
const DAY_MS = 86_400_000;

/** Units moved in a period, by what they were; all but `corrected`, `adjusted`, `net` and `margin` are never below zero. */
export const statementSumsSchema = z.object({
  /** Rows of the journal, and the sum of their amounts whatever they moved, but for budgets of keys: those are limits, not money. */
  postings: z.int(),
  turnover: z.int(),
  /** Requests that were booked, and what they cost. */
  requests: z.int(),
  consumed: z.int(),
  /** Given back for tasks that failed. */
  returned: z.int(),
  /** By corrections of charges, signed: above zero where they gave back, below zero where they took more. */
  corrected: z.int(),
  paid: z.int(),
  refunded: z.int(),
  redeemed: z.int(),
  /** Gifts and rewards that came into wallets. */
  granted: z.int(),
  /** By administrators, signed. */
  adjusted: z.int(),
  /** What wallets gained, signed: the sum of all that moved them. */
  net: z.int(),
  /** Rows that belong to a period that was closed before they came. */
  late: z.int(),
  /**
   * What the requests cost whose channel had cost prices: null where that is known of none of them. People do not see it in their own
   * statement, nor the next three.
   */
  cost: z.int().nullable().optional(),
  /** How many requests that is, of `requests`, and what they were charged, before corrections and returns. */
  costed: z.int().optional(),
  costed_sales: z.int().optional(),
  /** `costed_sales` less `cost`; null like `cost`. */
  margin: z.int().nullable().optional(),
});
export type StatementSums = z.infer<typeof statementSumsSchema>;

export const statementRowSchema = statementSumsSchema.extend({
  /** First day of the period, `YYYY-MM-DD`, UTC; weeks begin on Monday. Of the statement where that is one period. */
  period: z.string(),
  /** Id of a user or channel, name of a group or model; empty where the movement has none. */
  key: z.string(),
});
export type StatementRow = z.infer<typeof statementRowSchema>;

export const statementSchema = z.object({
  items: z.array(statementRowSchema),
  total: z.int(),
  page: z.int(),
  page_size: z.int(),
  /** Of all rows, not only those of the page. */
  totals: statementSumsSchema,
  /** What the wallets held before the first day and after the last one: `opening` + `totals.net` = `closing`. */
  opening: z.int(),
  closing: z.int(),
  /** False for a while after an upgrade, while postings of before are being added to the sums: the oldest come first. Nothing is closed then. */
  complete: z.boolean(),
});
export type Statement = z.infer<typeof statementSchema>;

const day = z
  .string(wrong)
  .regex(/^\d{4}-\d{2}-\d{2}$/, '日期格式应为 YYYY-MM-DD')
  .refine(
    (text) => text >= '2000-01-01' && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true,
    '日期不存在',
  );

const daysBetween = (start: string, end: string): number => (Date.parse(end) - Date.parse(start)) / DAY_MS;

/** Both days are inclusive, in UTC. `user_id` 0: everybody. */
export const statementFilterSchema = z
  .object({
    start: day,
    end: day,
    period: z.enum(statementPeriods, wrong).default('day'),
    by: z.enum(statementKeys, wrong).default('none'),
    user_id: idFilter,
  })
  .refine(({ start, end }) => start <= end, '开始日期不能晚于结束日期')
  .refine(({ start, end }) => daysBetween(start, end) < MAX_STATEMENT_DAYS, `时间跨度最多 ${MAX_STATEMENT_DAYS} 天`);
export type StatementFilter = z.output<typeof statementFilterSchema>;
export const statementQuerySchema = statementFilterSchema.and(pageFromOneSchema);
export type StatementQuery = z.output<typeof statementQuerySchema>;

/** Closes everything up to and with `last_day`, for ever. */
export const closePeriodSchema = z.object({
  last_day: day,
  note: z
    .string(wrong)
    .trim()
    .max(textLimits.reason.most, `原因最多 ${textLimits.reason.most} 个字符`)
    .refine(hasNoNul, wrong)
    .default(''),
});
export type ClosePeriod = z.input<typeof closePeriodSchema>;

export const closedPeriodSchema = z.object({
  id: z.int(),
  /** Empty: from the beginning. */
  first_day: z.string(),
  last_day: z.string(),
  closed_time: z.int(),
  actor_id: z.int(),
  note: z.string(),
  /** Null until the seal is made, moments after the closing. */
  seal: z
    .object({
      time: z.int(),
      postings: z.int(),
      /** SHA-256 over the sums of its days, hex. */
      digest: z.string(),
      /** Units by what they were. */
      totals: z.record(z.string(), z.int()),
      /** What was signed: JSON with all of the above, and the id of the key. Empty: closed before seals were signed, and none since. */
      text: z.string(),
      /** Ed25519 over the UTF-8 of the text, hex. */
      signature: z.string(),
    })
    .nullable(),
});
export type ClosedPeriod = z.infer<typeof closedPeriodSchema>;

/** Whether the sums of a closed period are still what was sealed, and its signature is this installation's. */
export const periodCheckSchema = z.object({
  id: z.int(),
  sealed: z.string(),
  found: z.string(),
  matches: z.boolean(),
  signature: z.enum(['valid', 'wrong', 'none']),
});
export type PeriodCheck = z.infer<typeof periodCheckSchema>;
