/** Amounts are counted in billionths of a dollar, because providers state up to nine decimals. */
const DECIMALS = 9;
const AMOUNT = /^\s*([-(])?\s*[$€¥]?\s*(-)?(\d{1,3}(?:,\d{3})+|\d+)?(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?\)?\s*$/;

/** `undefined` for a text that is no amount. Decimals beyond the ninth are cut off. */
export function nanos(text: string): bigint | undefined {
  const match = AMOUNT.exec(text);
  if (!match) return undefined;
  const [, sign, minus, whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  const shift = DECIMALS + Number(exponent);
  const digits = whole.replaceAll(',', '') + fraction.padEnd(Math.max(0, shift), '0').slice(0, Math.max(0, shift));
  const value = shift >= 0 ? BigInt(digits) : BigInt(whole.replaceAll(',', '') || '0') / 10n ** BigInt(-shift);
  return sign || minus ? -value : value;
}

/** For example `12.5`, without trailing zeros. */
export function nanosText(value: bigint): string {
  const magnitude = (value < 0n ? -value : value).toString().padStart(DECIMALS + 1, '0');
  const fraction = magnitude.slice(-DECIMALS).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${magnitude.slice(0, -DECIMALS)}${fraction && `.${fraction}`}`;
}
