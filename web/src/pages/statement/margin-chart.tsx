import Box from '@mui/material/Box';
import { BarChart } from '@mui/x-charts/BarChart';
import type { StatementRow } from '@tollgate/contracts/api/statement';
import { useTranslation } from 'react-i18next';
import type { StatementFilter } from '../../api/statement.api.js';
import { useGetStatementQuery } from '../../api/statement.api.js';
import { Card } from '../../components/layout/card.js';
import { axisText, heightOf } from '../../components/money/axis-text.js';
import { formatQuota } from '../../components/money/quota-format.js';
import { useQuotaScale } from '../../components/money/quota-text.js';
import { useMobile } from '../../components/basics/use-media.js';
import { colorOf } from './chart-scale.js';

const SHOWN = 10;
const BAR_PX = 38;
const LABEL_CHARACTERS = 22;
const short = (text: string): string =>
  text.length > LABEL_CHARACTERS ? `${text.slice(0, LABEL_CHARACTERS - 1)}…` : text;

const series = [
  { id: 'consumed', color: colorOf('consumed'), of: ({ consumed }: StatementRow) => consumed },
  { id: 'cost', color: colorOf('cost'), of: ({ cost }: StatementRow) => cost ?? null },
] as const;

/** Sales of the whole span per user, group, channel or model, beside the cost as far as it is known. */
export function MarginChart({ filter }: { filter: StatementFilter }) {
  const { t } = useTranslation('statement');
  const scale = useQuotaScale();
  const isMobile = useMobile();
  const { currentData: data } = useGetStatementQuery({
    page: 1,
    size: SHOWN,
    filter: { ...filter, period: 'span' },
    own: false,
  });
  const rows = (data?.items ?? []).filter(({ consumed, cost }) => consumed > 0 || (cost ?? 0) > 0);
  if (rows.length === 0) return null;
  const title = t('chart.keys');
  return (
    <Card title={title} sx={{ mb: 2 }}>
      <Box component="figure" aria-label={title} sx={{ m: 0 }}>
        <BarChart
          layout="horizontal"
          height={BAR_PX * rows.length + 72}
          margin={{ top: 8, right: 24, bottom: 0, left: 0 }}
          borderRadius={2}
          skipAnimation
          yAxis={[
            {
              scaleType: 'band',
              data: rows.map(({ key }) => key),
              width: isMobile ? 110 : 170,
              valueFormatter: (key: string) => (key === '' ? t('noKey') : short(key)),
            },
          ]}
          xAxis={[{ min: 0, height: 28, valueFormatter: axisText(scale), tickNumber: 4 }]}
          grid={{ vertical: true }}
          slotProps={{ legend: { position: { vertical: 'top', horizontal: 'start' } } }}
          series={series.map(({ id, color, of }) => ({
            id,
            color,
            label: t(`chart.${id}`),
            data: rows.map((row) => {
              const quota = of(row);
              return quota === null ? null : heightOf(quota, scale);
            }),
            valueFormatter: (_: number | null, { dataIndex }: { dataIndex: number }) => {
              const row = rows[dataIndex];
              const quota = row ? of(row) : null;
              return quota === null ? '—' : formatQuota(quota, scale, { digits: 4 });
            },
          }))}
        />
      </Box>
      {(data?.total ?? 0) > SHOWN && (
        <Box sx={{ typography: 'caption', color: 'text.secondary' }}>
          {t('chart.largest', { shown: SHOWN, total: data?.total })}
        </Box>
      )}
    </Card>
  );
}
