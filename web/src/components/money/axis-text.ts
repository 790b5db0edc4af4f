import type { QuotaScale } from './quota-format.js';
import { DEFAULT_QUOTA_PER_UNIT } from './quota-format.js';

/** From here on an axis counts thousands and millions. */
const COMPACT = 10_000;

/** A length on the axis, not an amount of money: floating point is fine here. */
export const heightOf = (quota: number, { perUnit, inCurrency }: QuotaScale): number =>
  inCurrency ? quota / (perUnit || DEFAULT_QUOTA_PER_UNIT) : quota;

/** What the charts say of a mark: its own text has as many decimals as all marks of the axis need. */
type Mark = { location: string; defaultTickLabel?: string };

/** Amounts along an axis, all with the decimals of the finest: $0.0, $0.5, $1.0. */
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
