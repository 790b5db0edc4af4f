import { quotaLabel } from '@tollgate/pricing';

export type QuotaDigits = 2 | 4 | 6;

export interface QuotaScale {
  /** Units that make one dollar. */
  perUnit: number;
  inCurrency: boolean;
}

export const DEFAULT_QUOTA_PER_UNIT = 500_000;
const MINUS = '\u2212';
const UNKNOWN = '\u2014';

/** Thousands of the whole part, the same in both languages. */
const grouped = (text: string): string => text.replace(/\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));

/** The shared arithmetic's label, grouped; what is no amount is a dash. */
export function formatQuota(
  quota: number,
  { perUnit, inCurrency }: QuotaScale,
  { digits = 2, signed = false }: { digits?: QuotaDigits; signed?: boolean } = {},
): string {
  if (!Number.isSafeInteger(quota) || !(perUnit > 0)) return UNKNOWN;
  const label = quotaLabel(quota, { displayInCurrency: inCurrency, quotaPerUnit: perUnit }, digits);
  const text = inCurrency ? grouped(label) : label;
  return signed && quota > 0 ? `+${text}` : text;
}

export const formatUnits = (quota: number): string =>
  quota < 0 ? `${MINUS}${grouped(String(-quota))}` : grouped(String(quota));

/** A decimal of dollars as somebody else wrote it, every digit kept. */
export const formatDollars = (amount: string): string => {
  const [, minus, digits = ''] = /^(-?)(.*)$/.exec(amount) ?? [];
  return `${minus ? MINUS : ''}$${grouped(digits)}`;
};
