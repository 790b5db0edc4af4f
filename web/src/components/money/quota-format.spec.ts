import { describe, expect, it } from '@jest/globals';
import { formatDollars, formatQuota, formatUnits } from './quota-format.js';

const usd = { perUnit: 500_000, inCurrency: true };
const raw = { perUnit: 500_000, inCurrency: false };

describe('formatQuota', () => {
  it('prints dollars with the given digits, rounding half away from zero', () => {
    expect(formatQuota(500_000, usd)).toBe('$1.00');
    expect(formatQuota(2500, usd)).toBe('$0.01'); // 0.005
    expect(formatQuota(-2500, usd)).toBe('\u2212$0.01');
    expect(formatQuota(138, usd, { digits: 6 })).toBe('$0.000276');
    expect(formatQuota(617_283_945_000_000, usd)).toBe('$1,234,567,890.00');
  });

  it('never prints a non-zero amount as zero, nor zero with a sign', () => {
    expect(formatQuota(1, usd)).toBe('$0.000002');
    expect(formatQuota(0, usd, { signed: true })).toBe('$0.00');
    expect(formatQuota(-0, usd)).toBe('$0.00');
    expect(formatQuota(0, usd, { digits: 6 })).toBe('$0.00');
  });

  it('keeps every digit of the largest balance', () => {
    expect(formatQuota(Number.MAX_SAFE_INTEGER, usd)).toBe('$18,014,398,509.48'); // 9007199254740991 / 500000
  });

  it('divides by a fractional unit exactly', () => {
    expect(formatQuota(3, { perUnit: 0.5, inCurrency: true })).toBe('$6.00');
  });

  it('shows a dash for a value that is no amount', () => {
    expect(formatQuota(Number.NaN, usd)).toBe('\u2014');
    expect(formatQuota(1, { perUnit: 0, inCurrency: true })).toBe('\u2014');
  });

  it('abbreviates raw units from ten thousand on', () => {
    expect([9999, 10_000, 123_456, 1_500_000, 5_600_000_000].map((n) => formatQuota(n, raw))).toEqual([
      '9999',
      '10.0k',
      '123.5k',
      '1.5M',
      '5.6B',
    ]);
    expect(formatQuota(12_000, raw, { signed: true })).toBe('+12.0k');
    expect(formatQuota(0, raw)).toBe('0');
  });
});

describe('formatUnits', () => {
  it('groups the digits of exact units, with a typographic minus', () => {
    expect(formatUnits(-1234567)).toBe('\u22121,234,567');
  });
});

describe('formatDollars', () => {
  it('groups a given decimal text, keeps its digits, and puts the sign before the currency', () => {
    expect(formatDollars('18014398509.480')).toBe('$18,014,398,509.480');
    expect(formatDollars('-1234.5')).toBe('\u2212$1,234.5');
    expect(formatDollars('0.0000021234')).toBe('$0.0000021234');
  });
});
