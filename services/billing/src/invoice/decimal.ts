/** Amounts are counted in billionths of a dollar, because providers state up to nine decimals. */
const DECIMALS = 9;
const AMOUNT = /^(-)?\s*\$?\s*(-)?(\d{1,3}(?:,\d{3})+|\d+)?(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?$/;
/** As accountants write what is below zero. */
const IN_PARENTHESES = /^\((.*)\)$/;

/** `undefined` for a text that is no amount of dollars. Decimals beyond the ninth are cut off. */
export function nanos(text: string): bigint | undefined {
  const inner = IN_PARENTHESES.exec(text.trim())?.[1];
  const match = AMOUNT.exec((inner ?? text).trim());
  if (!match) return undefined;
  const [, sign, minus, whole = '', fraction = '', exponent = '0'] = match;
  const signs = [inner, sign, minus].filter((one) => one !== undefined).length;
  if ((whole === '' && fraction === '') || signs > 1) return undefined;
  const value = shifted(whole.replaceAll(',', ''), fraction, DECIMALS + Number(exponent));
  return signs === 1 ? -value : value;
}

/** The number with its decimal point moved to the right by so many digits, without what is behind the point then. */
function shifted(whole: string, fraction: string, by: number): bigint {
  if (by < 0) return BigInt(whole || '0') / 10n ** BigInt(-by);
  return BigInt(whole + fraction.padEnd(by, '0').slice(0, by));
}

/** For example `12.5`, without trailing zeros. */
export function nanosText(value: bigint): string {
  const magnitude = (value < 0n ? -value : value).toString().padStart(DECIMALS + 1, '0');
  const fraction = magnitude.slice(-DECIMALS).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${magnitude.slice(0, -DECIMALS)}${fraction && `.${fraction}`}`;
}
