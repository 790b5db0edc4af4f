import { divided, exact } from './exact.js';

/** The two options that determine how quota is displayed. */
export interface QuotaDisplay {
  displayInCurrency: boolean;
  /** Units per USD. */
  quotaPerUnit: number;
}

/** The options that it is read from; satisfied by the store of a service. */
interface DisplayOptions {
  get(key: 'DisplayInCurrencyEnabled'): boolean;
  get(key: 'QuotaPerUnit'): number;
}

/** How texts show quota by the options in force. */
export const quotaDisplayOf = (options: DisplayOptions): QuotaDisplay => ({
  displayInCurrency: options.get('DisplayInCurrencyEnabled'),
  quotaPerUnit: options.get('QuotaPerUnit'),
});

/** USD with the given number of decimals, rounded once, halves away from zero: `0.20`. A negative amount keeps its sign. */
export function quotaToUsd(quota: number, quotaPerUnit: number, decimals: number): string {
  const perUnit = exact(quotaPerUnit);
  const shifted = BigInt(quota) * 10n ** BigInt(perUnit.scale + decimals);
  return withDecimals(divided(shifted, perUnit.digits), decimals);
}

/** As in texts for users: `＄1.000000`, or `500000` when the currency is not displayed. */
export function quotaText(quota: number, { displayInCurrency, quotaPerUnit }: QuotaDisplay): string {
  return displayInCurrency ? `＄${quotaToUsd(quota, quotaPerUnit, 6)}` : String(quota);
}

/** As in log texts: `＄1.000000 额度` or `500000 点额度`. */
export function quotaLogText(quota: number, display: QuotaDisplay): string {
  return `${quotaText(quota, display)}${display.displayInCurrency ? ' 额度' : ' 点额度'}`;
}

/**
 * As in the console: `$0.20`, `−$0.20`, or an abbreviated count. An amount other than zero that would be displayed as zero gets six
 * decimals; zero itself gets at most two.
 */
export function quotaLabel(quota: number, { displayInCurrency, quotaPerUnit }: QuotaDisplay, decimals = 2): string {
  const sign = quota < 0 ? '−' : '';
  if (!displayInCurrency) return `${sign}${abbreviated(Math.abs(quota))}`;
  if (quota === 0) return `$${quotaToUsd(0, quotaPerUnit, Math.min(decimals, 2))}`;
  const usd = quotaToUsd(Math.abs(quota), quotaPerUnit, decimals);
  const isLost = Number(usd) === 0;
  return `${sign}$${isLost ? quotaToUsd(Math.abs(quota), quotaPerUnit, 6) : usd}`;
}

const abbreviations = [
  { from: 1_000_000_000, letter: 'B', unit: 1_000_000_000n },
  { from: 1_000_000, letter: 'M', unit: 1_000_000n },
  { from: 10_000, letter: 'k', unit: 1_000n },
];

/** `9999`, `10.0k`, `1.5M`, `2.0B`. */
export function abbreviated(count: number): string {
  const row = abbreviations.find(({ from }) => Math.abs(count) >= from);
  return row ? `${withDecimals(divided(BigInt(count) * 10n, row.unit), 1)}${row.letter}` : String(count);
}

function withDecimals(shifted: bigint, decimals: number): string {
  const digits = (shifted < 0n ? -shifted : shifted).toString().padStart(decimals + 1, '0');
  const split = digits.length - decimals;
  const number = decimals === 0 ? digits : `${digits.slice(0, split)}.${digits.slice(split)}`;
  return shifted < 0n ? `-${number}` : number;
}
