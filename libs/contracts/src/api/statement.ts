import { z } from 'zod';
import { pageFromOneSchema } from '../envelope.js';
import { textLimits } from '../text-limits.js';
import { hasNoNul, idFilter } from './fields.js';
import { statementKeys, statementPeriods } from './statement-choices.js';

export { type StatementKey, type StatementPeriod } from './statement-choices.js';

const wrong = '参数错误';
/** The longest span of one statement. */
const MAX_STATEMENT_DAYS = 366;
const DAY_MS = 86_400_000;

/** Units moved in a period, by kind; all except `corrected`, `adjusted`, `net` and `margin` are never negative. */
export const statementSumsSchema = z.object({
  /** Number of journal rows and the sum of their amounts, excluding budgets of keys, which are limits and not money. */
  postings: z.int(),
  turnover: z.int(),
  /** Number of booked requests and their charges. */
  requests: z.int(),
  consumed: z.int(),
  /** Refunded for failed tasks. */
  returned: z.int(),
  /** By corrections of charges, signed: positive if they refunded, negative if they charged more. */
  corrected: z.int(),
  paid: z.int(),
  refunded: z.int(),
  redeemed: z.int(),
  /** Gifts and rewards credited to wallets. */
  granted: z.int(),
  /** By administrators, signed. */
  adjusted: z.int(),
  /** Net change of all wallets, signed: the sum of all movements. */
  net: z.int(),
  /** Number of rows that belong to a period which was closed before they arrived. */
  late: z.int(),
  /**
   * Cost of the requests whose channel had cost prices; null if it is known for none. Users do not see this member and the next three in
   * their own statement.
   */
  cost: z.int().nullable().optional(),
  /** The number of requests with a known cost, and their charges before corrections and refunds. */
  costed: z.int().optional(),
  costed_sales: z.int().optional(),
  /** `costed_sales` minus `cost`; null like `cost`. */
  margin: z.int().nullable().optional(),
});
export type StatementSums = z.infer<typeof statementSumsSchema>;

export const statementRowSchema = statementSumsSchema.extend({
  /** First day of the period, `YYYY-MM-DD`, UTC; weeks begin on Monday. The first day of the statement if that is one period. */
  period: z.string(),
  /** Id of a user or channel, name of a group or model; empty if the movement has none. */
  key: z.string(),
});
export type StatementRow = z.infer<typeof statementRowSchema>;

export const statementSchema = z.object({
  items: z.array(statementRowSchema),
  total: z.int(),
  page: z.int(),
  page_size: z.int(),
  /** Sums over all rows, not only those of the page. */
  totals: statementSumsSchema,
  /** Sum of the wallets before the first day and after the last one: `opening` + `totals.net` = `closing`. */
  opening: z.int(),
  closing: z.int(),
  /** False for some time after an upgrade, while older postings are being added to the sums, oldest first. No period can be closed then. */
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

/** Both days are inclusive, in UTC. `user_id` 0 means all users. */
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

/** Closes all days up to and including `last_day`, permanently. */
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
  /** Empty for the beginning of the books. */
  first_day: z.string(),
  last_day: z.string(),
  closed_time: z.int(),
  actor_id: z.int(),
  note: z.string(),
  /** Null until the seal is created, moments after closing. */
  seal: z
    .object({
      time: z.int(),
      postings: z.int(),
      /** Hex SHA-256 over the sums of its days. */
      digest: z.string(),
      /** Units by kind of movement. */
      totals: z.record(z.string(), z.int()),
      /**
       * The signed text: JSON with all of the above and the id of the key. Empty if the period was closed before seals were signed and has
       * not been sealed since.
       */
      text: z.string(),
      /** Hex Ed25519 signature over the text in UTF-8. */
      signature: z.string(),
    })
    .nullable(),
});
export type ClosedPeriod = z.infer<typeof closedPeriodSchema>;

/** Whether the sums of a closed period still equal the sealed ones, and whether the signature is from this installation. */
export const periodCheckSchema = z.object({
  id: z.int(),
  sealed: z.string(),
  found: z.string(),
  matches: z.boolean(),
  signature: z.enum(['valid', 'wrong', 'none']),
});
export type PeriodCheck = z.infer<typeof periodCheckSchema>;
