import type { QuotaScale } from '../../components/money/quota-format.js';
import { DEFAULT_QUOTA_PER_UNIT } from '../../components/money/quota-format.js';

/** A length on the axis, not an amount of money: floating point is fine here. */
export const heightOf = (quota: number, { perUnit, inCurrency }: QuotaScale): number =>
  inCurrency ? quota / (perUnit || DEFAULT_QUOTA_PER_UNIT) : quota;

export const axisText = (value: number, { inCurrency }: QuotaScale): string => {
  const text = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 }).format(value);
  return inCurrency ? `$${text}` : text;
};

/** Of the palette, and apart in light and dark also where no colours are seen. */
export const seriesColors = { consumed: 1, paid: 6, cost: 3 } as const;

export const colorOf = (series: keyof typeof seriesColors): string => `var(--tg-palette-chart-${seriesColors[series]})`;
