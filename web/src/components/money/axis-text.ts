import type { QuotaScale } from './quota-format.js';
import { DEFAULT_QUOTA_PER_UNIT } from './quota-format.js';

/** From this value on, the axis is labelled in thousands and millions. */
const COMPACT = 10_000;

/** The position on the axis. It is not an amount to display, so floating point is exact enough. */
export const heightOf = (quota: number, { perUnit, inCurrency }: QuotaScale): number =>
  inCurrency ? quota / (perUnit || DEFAULT_QUOTA_PER_UNIT) : quota;

/** A tick of the chart library; its default label has as many decimals as the ticks of the axis need. */
type Mark = { location: string; defaultTickLabel?: string };

/** Labels of an axis, all with the same number of decimals: $0.0, $0.5, $1.0. */
export const axisText =
  ({ inCurrency }: QuotaScale) =>
  (value: number, { defaultTickLabel = '' }: Mark): string => {
    const decimals = defaultTickLabel.split('.')[1]?.length ?? 0;
    const text =
      value >= COMPACT
        ? new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 }).format(value)
        : new Intl.NumberFormat('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(
            value,
          );
    return inCurrency ? `$${text}` : text;
  };
