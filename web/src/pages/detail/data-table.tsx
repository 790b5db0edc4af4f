import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { formatCount } from '../../components/basics/count-format.js';
import { QuotaText } from '../../components/money/quota-text.js';
import type { Summary } from './buckets.js';

const style = {
  overflow: 'auto',
  maxHeight: 420,
  '& table': { width: '100%', borderCollapse: 'collapse', typography: 'body2' },
  '& th, & td': {
    textAlign: 'right',
    px: 1.5,
    py: 0.5,
    borderBottom: 1,
    borderColor: 'border.subtle',
    whiteSpace: 'nowrap',
  },
  '& th:first-of-type': { textAlign: 'left' },
  '& thead th': { position: 'sticky', top: 0, bgcolor: 'background.sunken' },
} as const;

/** The numbers of the chart as a table, for screen readers and for checking sums. */
export function DataTable({ summary, label }: { summary: Summary; label: string }) {
  const { t } = useTranslation('detail');
  const share = (quota: number) => (summary.quota > 0 ? `${((quota / summary.quota) * 100).toFixed(1)}%` : '—');
  return (
    <Box sx={style} tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('table.model')}</th>
            <th scope="col">{t('figure.quota')}</th>
            <th scope="col">{t('table.share')}</th>
            <th scope="col">{t('figure.calls')}</th>
          </tr>
        </thead>
        <tbody>
          {summary.series.map(({ model, totalQuota, totalCalls }) => (
            <tr key={model}>
              <th scope="row" style={{ fontWeight: 400 }}>
                {model}
              </th>
              <td>
                <QuotaText quota={totalQuota} digits={4} />
              </td>
              <td>{share(totalQuota)}</td>
              <td>{formatCount(totalCalls)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Box>
  );
}
