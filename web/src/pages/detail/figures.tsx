import Box from '@mui/material/Box';
import type { User } from '@tollgate/contracts/api/user';
import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useGetSelfQuery } from '../../api/self.api.js';
import { formatCount } from '../../components/basics/count-format.js';
import { formatQuota } from '../../components/money/quota-format.js';
import { QuotaText, useQuotaScale } from '../../components/money/quota-text.js';
import type { Summary } from './buckets.js';
import { perMinute } from './buckets.js';
import type { Span } from './detail-filter.js';

interface Figure {
  id: string;
  label: string;
  value: ReactNode;
  /** The visible text of the value; its length decides the font size. */
  text: string;
  scope: string;
}

const band = {
  display: 'grid',
  gridTemplateColumns: {
    xs: 'repeat(2, minmax(0, 1fr))',
    sm: 'repeat(4, minmax(0, 1fr))',
    lg: 'repeat(8, minmax(0, 1fr))',
  },
  gap: '1px',
  bgcolor: 'border.subtle',
  border: 1,
  borderColor: 'border.subtle',
  borderRadius: '8px',
  overflow: 'hidden',
} as const;
/** A long scope, such as one with the name of a user, takes a second line. */
const scopeStyle = {
  typography: 'caption',
  color: 'text.tertiary',
  // Chinese lines may end anywhere, also within a word of two characters.
  wordBreak: 'keep-all',
  overflowWrap: 'anywhere',
} as const;
const line = { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } as const;

const number = (value: number | undefined): string => (value === undefined ? '—' : formatCount(value));
const rate = (value: number | undefined): string =>
  value === undefined
    ? '—'
    : new Intl.NumberFormat('en-US', { minimumFractionDigits: 3, maximumFractionDigits: 3 }).format(value);

const LONG_TEXT = 11;
/** A figure is never truncated: a long text is set smaller and may wrap. */
const valueStyle = (text: string) =>
  text.length > LONG_TEXT
    ? ({ fontSize: '0.875rem', lineHeight: '1.25rem', py: 0.5, overflowWrap: 'anywhere' } as const)
    : ({ ...line, fontSize: '1.125rem', lineHeight: '1.75rem' } as const);

const printed = (text: string) => ({ text, value: text });

function useAmount() {
  const scale = useQuotaScale();
  return (quota: number | undefined, balance = false) => ({
    text: quota === undefined ? '—' : formatQuota(quota, scale),
    value: <QuotaText quota={quota} balance={balance} />,
  });
}

interface FiguresProps {
  summary: Summary | undefined;
  span: Span;
  /** Text that names whose calls the figures of the period count. */
  scope: string;
}

function useAccountFigures(self: User | undefined): Figure[] {
  const { t } = useTranslation('detail');
  const scope = t('scope.account');
  const amount = useAmount();
  return [
    { id: 'balance', label: t('figure.balance'), ...amount(self?.quota, true), scope: t('scope.now') },
    { id: 'used', label: t('figure.used'), ...amount(self?.used_quota), scope },
    { id: 'requests', label: t('figure.requests'), ...printed(number(self?.request_count)), scope },
  ];
}

function usePeriodFigures({ summary, span, scope }: FiguresProps): Figure[] {
  const { t } = useTranslation('detail');
  const amount = useAmount();
  const average = (count: number | undefined) =>
    count === undefined ? undefined : perMinute(count, span.from, span.to, span.now);
  return [
    { id: 'quota', label: t('figure.quota'), ...amount(summary?.quota), scope },
    { id: 'tokens', label: t('figure.tokens'), ...printed(number(summary?.tokens)), scope },
    { id: 'calls', label: t('figure.calls'), ...printed(number(summary?.calls)), scope },
    { id: 'rpm', label: t('figure.rpm'), ...printed(rate(average(summary?.calls))), scope },
    { id: 'tpm', label: t('figure.tpm'), ...printed(rate(average(summary?.tokens))), scope },
  ];
}

const ACCOUNT_MS = 6000;

/**
 * The balance changes with each call, so the account is fetched again when the number of calls changes. Fetches count
 * against the rate limit, so they are at least `ACCOUNT_MS` apart.
 */
function useAccount(calls: number | undefined): User | undefined {
  const { data: self, refetch } = useGetSelfQuery();
  const seen = useRef(calls);
  const askedAt = useRef(-ACCOUNT_MS);
  useEffect(() => {
    if (calls === undefined || calls === seen.current) return;
    const ask = (): void => {
      const isFirst = seen.current === undefined;
      seen.current = calls;
      if (isFirst) return;
      askedAt.current = performance.now();
      void refetch();
    };
    const timer = setTimeout(ask, Math.max(0, askedAt.current + ACCOUNT_MS - performance.now()));
    return () => clearTimeout(timer);
  }, [calls, refetch]);
  return self;
}

/** Eight figures: three of the account, five of the period. */
export function Figures(props: FiguresProps) {
  const self = useAccount(props.summary?.calls);
  const figures = [...useAccountFigures(self), ...usePeriodFigures(props)];
  return (
    <Box sx={band}>
      {figures.map(({ id, label, value, text, scope }) => (
        <Box key={id} data-figure={id} sx={{ bgcolor: 'background.paper', px: { xs: 1.5, lg: 1 }, py: 1, minWidth: 0 }}>
          <Box sx={{ ...line, typography: 'body2', color: 'text.secondary' }} title={label}>
            {label}
          </Box>
          <Box sx={{ ...valueStyle(text), fontWeight: 600 }}>{value}</Box>
          <Box sx={scopeStyle}>{scope}</Box>
        </Box>
      ))}
    </Box>
  );
}
