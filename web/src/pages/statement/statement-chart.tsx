import Box from '@mui/material/Box';
import { BarChart } from '@mui/x-charts/BarChart';
import type { StatementRow } from '@tollgate/contracts/api/statement';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { StatementFilter } from '../../api/statement.api.js';
import { useGetStatementQuery } from '../../api/statement.api.js';
import { Card } from '../../components/layout/card.js';
import { axisText, heightOf } from '../../components/money/axis-text.js';
import { formatQuota } from '../../components/money/quota-format.js';
import { useQuotaScale } from '../../components/money/quota-text.js';
import { useMobile } from '../../components/basics/use-media.js';
import { ChartPlaceholder } from './chart-placeholder.js';
import { colorOf } from './chart-scale.js';
import { everyPeriod } from './days.js';

/** The largest page size of the statement. */
const SHOWN = 100;

const series = [
  { id: 'consumed', color: colorOf('consumed'), of: ({ consumed }: StatementRow) => consumed },
  {
    id: 'paid',
    color: colorOf('paid'),
    of: ({ paid, redeemed, granted }: StatementRow) => paid + redeemed + granted,
  },
  { id: 'cost', color: colorOf('cost'), of: ({ cost }: StatementRow) => cost ?? 0 },
] as const;

interface StatementChartProps {
  filter: StatementFilter;
  own: boolean;
}

/** Bars per period for consumption, payments and, if any of it is known, cost. The table below has the numbers. */
export function StatementChart({ filter, own }: StatementChartProps) {
  const { t } = useTranslation('statement');
  const scale = useQuotaScale();
  const height = useMobile() ? 200 : 240;
  const { currentData: data, isFetching } = useGetStatementQuery({
    page: 1,
    size: SHOWN,
    filter: { ...filter, by: 'none' },
    own,
  });
  const rows = useMemo(() => new Map(data?.items.map((row) => [row.period, row])), [data]);
  const periods = useMemo(() => everyPeriod([...rows.keys()], filter.period), [rows, filter.period]);
  if (!data && isFetching) return <ChartPlaceholder />;
  if (periods.length === 0) return null;
  /** Zero in a period in which nothing was booked. */
  const amount = (period: string, of: (row: StatementRow) => number): number => {
    const row = rows.get(period);
    return row ? of(row) : 0;
  };
  const shown = series.filter(({ id }) => id !== 'cost' || (data?.totals.costed ?? 0) > 0);
  return (
    <Card title={t('chart.title')} sx={{ mb: 2 }}>
      <Box component="figure" aria-label={t('chart.title')} sx={{ m: 0 }}>
        <BarChart
          height={height}
          margin={{ top: 16, right: 24, bottom: 0, left: 0 }}
          borderRadius={2}
          skipAnimation
          xAxis={[
            {
              scaleType: 'band',
              data: periods,
              height: 40,
              tickLabelMinGap: 16,
              // With few periods the gaps are wider, so that the bars do not become slabs.
              categoryGapRatio: Math.max(0.3, 0.9 - periods.length * 0.06),
            },
          ]}
          yAxis={[{ min: 0, width: 64, valueFormatter: axisText(scale), tickNumber: 4 }]}
          grid={{ horizontal: true }}
          slotProps={{ legend: { position: { vertical: 'top', horizontal: 'start' } } }}
          series={shown.map(({ id, color, of }) => ({
            id,
            color,
            label: t(`chart.${id}`),
            data: periods.map((period) => heightOf(amount(period, of), scale)),
            valueFormatter: (_: number | null, { dataIndex }: { dataIndex: number }) =>
              formatQuota(amount(periods[dataIndex] ?? '', of), scale, { digits: 4 }),
          }))}
        />
      </Box>
      {(data?.total ?? 0) > SHOWN && (
        <Box sx={{ typography: 'caption', color: 'text.secondary' }}>{t('chart.tooMany', { shown: SHOWN })}</Box>
      )}
    </Card>
  );
}
