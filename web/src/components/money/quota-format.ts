import { quotaLabel } from '@tollgate/pricing';

export type QuotaDigits = 2 | 4 | 6;

export interface QuotaScale {
  /** Units per dollar. */
  perUnit: number;
  inCurrency: boolean;
}

export const DEFAULT_QUOTA_PER_UNIT = 500_000;
const MINUS = '\u2212';
const UNKNOWN = '\u2014';

/** Adds thousands separators to the integer part; they are the same in both languages. */
const grouped = (text: string): string => text.replace(/\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));

/** An amount as text, by the arithmetic shared with the server, with thousands separators. An invalid amount is a dash. */
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

/** A decimal amount of dollars from elsewhere, with all its digits. */
export const formatDollars = (amount: string): string => {
  const [, minus, digits = ''] = /^(-?)(.*)$/.exec(amount) ?? [];
  return `${minus ? MINUS : ''}$${grouped(digits)}`;
};
