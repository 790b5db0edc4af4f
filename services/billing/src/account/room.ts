import { mostBalance } from '@tollgate/contracts';
import { AppError } from '@tollgate/chassis';

interface Change {
  /** What stands there, and by how much it changes. */
  before: number;
  change: number;
  /** Everything ever credited, which is stored beside it. */
  credit: number;
}

export const outOfRange = (most: number): AppError =>
  new AppError('invalid', 'quota-out-of-range', `额度超出可以保存的范围，最多为 ${most}`, { params: { most } });

/**
 * Throws `quota-out-of-range` where a wallet or a budget would hold more than it may, or owe as much. What is beyond already may come
 * nearer. A payment has come in any case and goes by what can be counted alone, see `WalletMovements`.
 */
export function requireRoom({ before, change, credit }: Change): void {
  const after = before + change;
  const fits = change > 0 ? after <= mostBalance : after >= -mostBalance;
  if (!fits || ![after, change, credit + change].every(Number.isSafeInteger)) throw outOfRange(mostBalance);
}
