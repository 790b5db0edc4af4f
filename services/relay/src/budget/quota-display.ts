import type { OptionStore } from '@tollgate/chassis';
import type { QuotaDisplay } from '@tollgate/pricing';

/** How texts for clients show quota, by the options in force. */
export const quotaDisplayOf = (options: Pick<OptionStore, 'get'>): QuotaDisplay => ({
  displayInCurrency: options.get('DisplayInCurrencyEnabled'),
  quotaPerUnit: options.get('QuotaPerUnit'),
});
