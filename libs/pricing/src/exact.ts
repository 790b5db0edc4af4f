/**
 * An exact decimal, `digits` · 10^−`scale`. Prices are products of decimals typed by operators, so exact arithmetic needs only one final
 * rounding, and every process that repeats a calculation gets the same unit.
 */
export interface Exact {
  readonly digits: bigint;
  readonly scale: number;
}

/** The decimal written in the number's shortest text: 0.1 becomes one tenth. */
export function exact(value: number): Exact {
  if (Number.isSafeInteger(value)) return { digits: BigInt(value), scale: 0 };
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (!match) throw new RangeError(`not a finite number: ${value}`);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(sign + whole + fraction);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

export function plus(a: Exact, b: Exact): Exact {
  const scale = Math.max(a.scale, b.scale);
  return { digits: digitsAt(a, scale) + digitsAt(b, scale), scale };
}

export function times(first: Exact, ...others: Exact[]): Exact {
  return others.reduce(
    (product, other) => ({ digits: product.digits * other.digits, scale: product.scale + other.scale }),
    first,
  );
}

/** Rounds to an integer, halves away from zero. */
export const rounded = (value: Exact): bigint => divided(value.digits, 10n ** BigInt(value.scale));

/** The quotient rounded to an integer, halves away from zero; the divisor must be positive. */
export function divided(dividend: bigint, divisor: bigint): bigint {
  const magnitude = dividend < 0n ? -dividend : dividend;
  const quotient = (2n * magnitude + divisor) / (2n * divisor);
  return dividend < 0n ? -quotient : quotient;
}

/** The nearest floating-point number, for display and for records that carry ratios as numbers. */
export const toNumber = ({ digits, scale }: Exact): number => Number(`${digits}e-${scale}`);

function digitsAt(value: Exact, scale: number): bigint {
  return scale === value.scale ? value.digits : value.digits * 10n ** BigInt(scale - value.scale);
}
