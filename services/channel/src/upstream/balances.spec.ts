import { describe, expect, it } from '@jest/globals';
import { findBalanceSource } from './balances.js';

const account = { baseUrl: 'https://host.example', key: 'k' };
const now = new Date('2025-04-11T12:00:00Z');
const sourceOf = (type: number) => {
  const source = findBalanceSource(type);
  if (!source) throw new Error(`no source for type ${type}`);
  return source;
};

describe('balances of upstream accounts', () => {
  it.each([
    [10, 'https://aiproxy.io/api/report/getUserOverview', { success: true, data: { totalPoints: 12.5 } }, 12.5],
    [12, 'https://api.api2gpt.com/dashboard/billing/credit_grants', { total_remaining: 3 }, 3],
    [13, 'https://api.aigc2d.com/dashboard/billing/credit_grants', { total_available: 4 }, 4],
    [20, 'https://openrouter.ai/api/v1/credits', { data: { total_credits: 10, total_usage: 2.5 } }, 7.5],
    [40, 'https://api.siliconflow.cn/v1/user/info', { code: 20000, data: { totalBalance: '0.88' } }, 0.88],
    [
      43,
      'https://api.deepseek.com/user/balance',
      {
        balance_infos: [
          { currency: 'USD', total_balance: '1' },
          { currency: 'CNY', total_balance: '110.00' },
        ],
      },
      110,
    ],
  ])('reads type %i from %s', (type, url, reply, expected) => {
    expect(sourceOf(type).first(account).url).toBe(url);
    expect(sourceOf(type).balanceOf(reply, undefined)).toBe(expected);
  });

  it('authorises with a bearer token, and AIProxy with its own header', () => {
    expect(sourceOf(43).first(account).headers).toEqual({ authorization: 'Bearer k' });
    expect(sourceOf(10).first(account).headers).toEqual({ 'api-key': 'k' });
  });

  it.each([
    [true, 'start_date=2025-04-01&end_date=2025-04-11'],
    [false, 'start_date=2025-01-01&end_date=2025-04-11'], // 100 days before 11 April
  ])('computes the balance at OpenAI from its usage, payment method %p', (hasPaymentMethod, range) => {
    const reply = { has_payment_method: hasPaymentMethod, hard_limit_usd: 20 };
    expect(sourceOf(1).first(account).url).toBe('https://host.example/v1/dashboard/billing/subscription');
    expect(sourceOf(1).second?.(account, reply, now).url).toBe(
      `https://host.example/v1/dashboard/billing/usage?${range}`,
    );
    expect(sourceOf(1).balanceOf(reply, { total_usage: 250 })).toBe(17.5); // 20 − 250 cents
  });

  it.each([
    ['an error of SiliconFlow', 40, { code: 20001, message: 'bad' }],
    ['DeepSeek without yuan', 43, { balance_infos: [{ currency: 'USD', total_balance: '1' }] }],
    ['no number', 12, { total_remaining: 'much' }],
    ['no object', 13, null],
  ])('throws on %s', (_, type, reply) => {
    expect(() => sourceOf(type).balanceOf(reply, undefined)).toThrow();
  });

  it.each([2, 14, 24, 99])('supports no balance for type %i', (type) => {
    expect(findBalanceSource(type)).toBeUndefined();
  });
});
