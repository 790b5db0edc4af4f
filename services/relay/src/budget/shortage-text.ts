import { type QuotaDisplay, quotaText } from '@tollgate/pricing';
import type { Shortage } from './hold.js';

/** A refusal that says what was left and what was needed: `user quota is not enough, user quota: ＄0.001000, need quota: ＄0.002500`. */
export function shortageText(refusal: string, { account, left, need }: Shortage, display: QuotaDisplay): string {
  const remaining = account === 'token' ? 'token remain quota' : 'user quota';
  return `${refusal}, ${remaining}: ${quotaText(left, display)}, need quota: ${quotaText(need, display)}`;
}
