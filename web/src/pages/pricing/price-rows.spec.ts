import { describe, expect, it } from '@jest/globals';
import type { PricingRow } from '@tollgate/contracts/api/pricing';
import { amountWidths } from './price-columns.js';
import { price, toPriceRows } from './price-rows.js';

const row = (model_name: string, change: Partial<PricingRow> = {}): PricingRow => ({
  model_name,
  quota_type: 0,
  model_ratio: 1.25,
  model_price: 0,
  owner_by: '',
  completion_ratio: 4,
  enable_groups: ['default'],
  ...change,
});
const list = (data: PricingRow[]) => ({
  data,
  group_ratio: { default: 1, vip: 0.8 },
});
const wanted = { group: 'default', acceptsUnpriced: false, keyword: '', quotaPerUnit: 500_000 };

describe('price list', () => {
  it('prices a million tokens and a call for the viewed group', () => {
    const data = [
      row('a', { enable_groups: ['default', 'vip', 'without-ratio'] }),
      row('b', { quota_type: 1, model_price: 0.05 }),
    ];
    // 1.25 × 2 USD × 0.8 = 2; completion 4 times that
    expect(toPriceRows(list(data), { ...wanted, group: 'vip' })).toMatchObject([
      { name: 'a', available: true, prompt: 2, completion: 8, groups: ['default', 'vip'] },
      { name: 'b', available: false, prompt: expect.closeTo(0.04, 10), completion: undefined },
    ]);
  });

  it('uses the configured quota per unit, not a constant', () => {
    expect(toPriceRows(list([row('a')]), { ...wanted, quotaPerUnit: 1_000_000 })[0]?.prompt).toBe(1.25);
  });

  it('sorts available models first, gpt before the others, then by name', () => {
    const data = [row('zeta'), row('gpt-b', { enable_groups: ['vip'] }), row('alpha'), row('gpt-a')];
    expect(toPriceRows(list(data), wanted).map(({ name }) => name)).toEqual(['gpt-a', 'alpha', 'zeta', 'gpt-b']);
  });

  it('sorts models without a price after all that can be called, unless the reader accepts them', () => {
    const data = [row('gpt-odd', { priced: false }), row('zeta')];
    const shown = (acceptsUnpriced: boolean) =>
      toPriceRows(list(data), { ...wanted, acceptsUnpriced }).map(({ name, available }) => [name, available]);
    expect(shown(false)).toEqual([
      ['zeta', true],
      ['gpt-odd', false],
    ]);
    expect(shown(true)).toEqual([
      ['gpt-odd', true],
      ['zeta', true],
    ]);
  });

  it('finds parts of names whatever their case', () => {
    expect(
      toPriceRows(list([row('GPT-4o'), row('o3')]), { ...wanted, keyword: ' gpt' }).map(({ name }) => name),
    ).toEqual(['GPT-4o']);
  });

  it('prints no floating tail', () => {
    expect(price(0.1 * 3)).toBe('$0.3');
    expect(price(0.00000049)).toBe('$0');
  });

  it('prints six digits of a price, and every whole dollar', () => {
    const prices = [0.821918, 1.643836, 14.285714, 1234.5678, 1234567.8].map(price);
    expect(prices).toEqual(['$0.821918', '$1.64384', '$14.2857', '$1234.57', '$1234568']);
  });

  it('gives prices no more width than they need, and all of it where a text is in their place', () => {
    const widthsOf = (...data: PricingRow[]) => amountWidths(toPriceRows(list(data), wanted));
    expect(widthsOf(row('a'))).toEqual({ prompt: 130, completion: 130 });
    // `$0.821918 / 1M tokens`
    expect(widthsOf(row('a'), row('b', { model_ratio: 0.410959, completion_ratio: 1 }))).toEqual({
      prompt: 158,
      completion: 158,
    });
    expect(widthsOf(row('a'), row('b', { priced: false }))).toEqual({ prompt: 158, completion: 130 });
    expect(widthsOf(row('a', { quota_type: 1, model_price: 0.05 }))).toEqual({ prompt: 130, completion: 130 });
  });
});
