import { mostBalance } from '@tollgate/contracts';
import { AppError } from '@tollgate/chassis';

interface Change {
  /** The balance before the change, and the change itself. */
  before: number;
  change: number;
  /** The sum of everything ever credited, which is stored with the balance. */
  credit: number;
}

export const outOfRange = (most: number): AppError =>
  new AppError('invalid', 'quota-out-of-range', `额度超出可以保存的范围，最多为 ${most}`, { params: { most } });

/**
 * Throws `quota-out-of-range` where a wallet or a budget would hold, or owe, more than the limit. A balance beyond the
 * limit may move towards it. Payments are not checked, since the money has already arrived; they are only refused where
 * the numbers become inexact, see `WalletMovements`.
 */
export function requireRoom({ before, change, credit }: Change): void {
  const after = before + change;
  const fits = change > 0 ? after <= mostBalance : after >= -mostBalance;
  if (!fits || ![after, change, credit + change].every(Number.isSafeInteger)) throw outOfRange(mostBalance);
}
