import Box from '@mui/material/Box';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import type { QuotaDigits, QuotaScale } from './quota-format.js';
import { Unknown } from '../texts/unknown.js';
import { DEFAULT_QUOTA_PER_UNIT, formatQuota, formatUnits } from './quota-format.js';

/** Whether amounts are shown in money or in units, as the operator has set it; follows changes of the status. */
export function useQuotaScale(): QuotaScale {
  const { quota_per_unit: perUnit = DEFAULT_QUOTA_PER_UNIT, display_in_currency: inCurrency = true } =
    useAppSelector(selectStatus);
  return useMemo(() => ({ perUnit, inCurrency }), [perUnit, inCurrency]);
}

interface QuotaTextProps {
  /** `undefined`: unknown, which is shown as a dash and never as zero. */
  quota: number | undefined;
  digits?: QuotaDigits;
  signed?: boolean;
  /** For balances: a negative amount is shown as an error with a word, not only by its sign. */
  balance?: boolean;
}

export function QuotaText({ quota, digits = 2, signed = false, balance = false }: QuotaTextProps) {
  const { t } = useTranslation();
  const scale = useQuotaScale();
  if (quota === undefined) return <Unknown />;
  const text = formatQuota(quota, scale, { digits, signed });
  // The tooltip repeats the amount, because a narrow column may clip it.
  const exact = `${text} = ${t('quota.exact', { units: formatUnits(quota) })} (${t('quota.rate', { perUnit: formatUnits(scale.perUnit) })})`;
  if (!balance || quota >= 0) return <span title={exact}>{text}</span>;
  return (
    <Box component="span" title={exact} sx={{ color: 'error.main' }}>
      {text} {t('quota.overdrawn')}
    </Box>
  );
}
