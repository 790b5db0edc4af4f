import { z } from 'zod';

/** One call to a provider's billing interface. */
export interface BalanceCall {
  url: string;
  headers: Record<string, string>;
}

export interface BillingAccount {
  /** Without a trailing slash; the type's default address if the channel has none. */
  baseUrl: string;
  key: string;
}

interface BalanceSource {
  first(account: BillingAccount): BalanceCall;
  /** For interfaces that need a second call; `reply` is the reply to the first one. */
  second?(account: BillingAccount, reply: unknown, now: Date): BalanceCall;
  /** Throws when a reply does not have the expected shape. */
  balanceOf(first: unknown, second: unknown): number;
}

const DAY_MS = 86_400_000;
const USAGE_DAYS = 100;

/** Some providers send numbers as strings. */
const amount = z.coerce.number().refine(Number.isFinite);
const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const date = (at: Date): string => at.toISOString().slice(0, 10);

const subscriptionSchema = z.object({ has_payment_method: z.boolean().default(false), hard_limit_usd: amount });
const usageSchema = z.object({ total_usage: amount });

/** OpenAI's former billing interface, which many resellers imitate. */
const openAi: BalanceSource = {
  first: ({ baseUrl, key }) => ({ url: `${baseUrl}/v1/dashboard/billing/subscription`, headers: bearer(key) }),
  second: ({ baseUrl, key }, reply, now) => {
    const isMonthly = subscriptionSchema.parse(reply).has_payment_method;
    const start = isMonthly ? `${date(now).slice(0, 7)}-01` : date(new Date(now.getTime() - USAGE_DAYS * DAY_MS));
    return {
      url: `${baseUrl}/v1/dashboard/billing/usage?start_date=${start}&end_date=${date(now)}`,
      headers: bearer(key),
    };
  },
  // The limit is in dollars, the usage in cents.
  balanceOf: (first, second) =>
    subscriptionSchema.parse(first).hard_limit_usd - usageSchema.parse(second).total_usage / 100,
};

/** An interface with one call to a fixed address and a schema that outputs the balance. */
const single = (
  url: string,
  schema: z.ZodType<number>,
  headers: (key: string) => Record<string, string> = bearer,
): BalanceSource => ({
  first: ({ key }) => ({ url, headers: headers(key) }),
  balanceOf: (reply) => schema.parse(reply),
});

const aiProxySchema = z
  .object({ success: z.boolean().optional(), data: z.object({ totalPoints: amount }) })
  .transform(({ data }) => data.totalPoints);
const api2GptSchema = z.object({ total_remaining: amount }).transform((reply) => reply.total_remaining);
const aigc2dSchema = z.object({ total_available: amount }).transform((reply) => reply.total_available);
const openRouterSchema = z
  .object({ data: z.object({ total_credits: amount, total_usage: amount }) })
  .transform(({ data }) => data.total_credits - data.total_usage);
const siliconFlowSchema = z
  .object({ code: z.literal(20_000), data: z.object({ totalBalance: amount }) })
  .transform(({ data }) => data.totalBalance);
const deepSeekSchema = z
  .object({ balance_infos: z.array(z.object({ currency: z.string(), total_balance: amount })) })
  .transform(({ balance_infos: infos }, context) => {
    const yuan = infos.find(({ currency }) => currency === 'CNY');
    if (yuan) return yuan.total_balance;
    context.addIssue({ code: 'custom', message: 'no balance in CNY' });
    return z.NEVER;
  });

/** Types with a billing interface. */
const sources: Readonly<Record<number, BalanceSource>> = {
  1: openAi,
  8: openAi,
  10: single('https://aiproxy.io/api/report/getUserOverview', aiProxySchema, (key) => ({ 'api-key': key })),
  12: single('https://api.api2gpt.com/dashboard/billing/credit_grants', api2GptSchema),
  13: single('https://api.aigc2d.com/dashboard/billing/credit_grants', aigc2dSchema),
  20: single('https://openrouter.ai/api/v1/credits', openRouterSchema),
  40: single('https://api.siliconflow.cn/v1/user/info', siliconFlowSchema),
  43: single('https://api.deepseek.com/user/balance', deepSeekSchema),
};

export const findBalanceSource = (type: number): BalanceSource | undefined => sources[type];
