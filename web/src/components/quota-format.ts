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

const decimal = (text: string): { digits: bigint; scale: number } => {
  const [whole = '0', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), scale: fraction.length };
};

/** Dollars typed by a person → whole units; undefined when the text is no amount. */
export function unitsOfDollars(text: string, perUnit: number): number | undefined {
  const typed = text.trim();
  const unitText = String(perUnit);
  if (![typed, unitText].every((part) => /^\d+(\.\d+)?$/.test(part))) return undefined;
  const [amount, unit] = [decimal(typed), decimal(unitText)];
  const units = (amount.digits * unit.digits) / 10n ** BigInt(amount.scale + unit.scale);
  return units <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(units) : undefined;
}
