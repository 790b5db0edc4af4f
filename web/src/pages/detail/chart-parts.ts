import { DEFAULT_QUOTA_PER_UNIT } from '../../components/quota-format.js';
import type { QuotaScale } from '../../components/quota-format.js';
import type { Series } from './buckets.js';

/** Colours follow the theme by themselves: the charts read them as variables. */
export const chartColors = Array.from({ length: 8 }, (_, index) => `var(--tg-palette-chart-${index + 1})`);
export const otherColor = 'var(--tg-palette-chart-other)';

export const colorsOf = (series: Series[], rest: string): string[] =>
  series.map(({ model }, index) => (model === rest ? otherColor : (chartColors[index] ?? otherColor)));

/** A length on the axis, not an amount of money: floating point is fine here. */
export const heightOf = (quota: number, { perUnit, inCurrency }: QuotaScale): number =>
  inCurrency ? quota / (perUnit || DEFAULT_QUOTA_PER_UNIT) : quota;

export const axisText = (value: number, { inCurrency }: QuotaScale): string => {
  const text = new Intl.NumberFormat('en-US', {
    notation: value >= 10_000 ? 'compact' : 'standard',
    maximumFractionDigits: value < 1 ? 4 : 2,
  }).format(value);
  return inCurrency ? `$${text}` : text;
};
