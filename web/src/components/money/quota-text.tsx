import Box from '@mui/material/Box';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import type { QuotaDigits, QuotaScale } from './quota-format.js';
import { Unknown } from '../texts/unknown.js';
import { DEFAULT_QUOTA_PER_UNIT, formatQuota, formatUnits } from './quota-format.js';

/** The one switch between money and units, live from the status. */
export function useQuotaScale(): QuotaScale {
  const { quota_per_unit: perUnit = DEFAULT_QUOTA_PER_UNIT, display_in_currency: inCurrency = true } =
    useAppSelector(selectStatus);
  return useMemo(() => ({ perUnit, inCurrency }), [perUnit, inCurrency]);
}

interface QuotaTextProps {
  /** Undefined: not known, never printed as zero. */
  quota: number | undefined;
  digits?: QuotaDigits;
  signed?: boolean;
  /** For balances: below zero is an error state with a word, not only a sign. */
  balance?: boolean;
}

export function QuotaText({ quota, digits = 2, signed = false, balance = false }: QuotaTextProps) {
  const { t } = useTranslation();
  const scale = useQuotaScale();
  if (quota === undefined) return <Unknown />;
  const text = formatQuota(quota, scale, { digits, signed });
  // The amount once more, because a narrow column may cut it.
  const exact = `${text} = ${t('quota.exact', { units: formatUnits(quota) })} (${t('quota.rate', { perUnit: formatUnits(scale.perUnit) })})`;
  if (!balance || quota >= 0) return <span title={exact}>{text}</span>;
  return (
    <Box component="span" title={exact} sx={{ color: 'error.main' }}>
      {text} {t('quota.overdrawn')}
    </Box>
  );
}
