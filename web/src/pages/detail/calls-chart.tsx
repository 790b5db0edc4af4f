import { PieChart } from '@mui/x-charts/PieChart';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useMobile } from '../../components/basics/use-media.js';
import type { Summary } from './buckets.js';
import { topSeries } from './buckets.js';
import { colorsOf } from './chart-parts.js';
import { SeriesPatterns } from './series-patterns.js';

/** Calls of the period by model. */
export function CallsChart({ summary, height }: { summary: Summary; height: number }) {
  const { t } = useTranslation('detail');
  const mobile = useMobile();
  const rest = t('others');
  const top = useMemo(() => {
    const byCalls = [...summary.series].sort((one, other) => other.totalCalls - one.totalCalls);
    return topSeries(byCalls, rest);
  }, [summary, rest]);
  const share = (calls: number) => (summary.calls > 0 ? ((calls / summary.calls) * 100).toFixed(1) : '0.0');
  const labelOf = (model: string, count: number) => (place: 'legend' | 'tooltip' | 'arc') =>
    place === 'legend' ? t('calls.legend', { model, count, share: share(count) }) : model;
  return (
    <>
      <SeriesPatterns />
      <PieChart
        height={height}
        // The same model has the same colour as in the spend chart.
        colors={colorsOf(top, rest, topSeries(summary.series, rest))}
        series={[
          {
            innerRadius: '50%',
            outerRadius: '80%',
            paddingAngle: 1,
            data: top.map(({ model, totalCalls: value }) => ({ id: model, label: labelOf(model, value), value })),
            valueFormatter: ({ value }) => t('calls.slice', { count: value, share: share(value) }),
          },
        ]}
        slotProps={{
          legend: {
            direction: mobile ? 'horizontal' : 'vertical',
            position: { vertical: mobile ? 'bottom' : 'middle', horizontal: 'start' },
          },
        }}
      />
    </>
  );
}
