import Box from '@mui/material/Box';
import { BarChart } from '@mui/x-charts/BarChart';
import { ChartsTooltipContainer, useAxesTooltip } from '@mui/x-charts/ChartsTooltip';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { drawnWhenForced } from '../../components/basics/forced-colors.js';
import { axisText, heightOf } from '../../components/money/axis-text.js';
import { formatQuota } from '../../components/money/quota-format.js';
import { useQuotaScale } from '../../components/money/quota-text.js';
import type { Series, Summary } from './buckets.js';
import { topSeries } from './buckets.js';
import { colorsOf, otherColor } from './chart-parts.js';
import { SeriesPatterns } from './series-patterns.js';

const MAX_LINES = 12;

interface TooltipProps {
  summary: Summary;
  /** Colour by model; all other models share one. */
  colors: Map<string, string>;
}

const swatch = {
  display: 'inline-block',
  width: 12,
  height: 12,
  verticalAlign: '-1px',
  borderRadius: '2px',
  mr: 1,
  ...drawnWhenForced,
} as const;

/** The tooltip: the total of the bucket, then its models by cost. */
function BucketTooltip({ summary, colors }: TooltipProps) {
  const { t } = useTranslation('detail');
  const scale = useQuotaScale();
  const axes = useAxesTooltip();
  const at = axes?.[0]?.dataIndex;
  if (at === undefined) return null;
  const lines = summary.series
    .map(({ model, quota }) => ({ model, quota: quota[at] ?? 0 }))
    .filter(({ quota }) => quota > 0);
  lines.sort((one, other) => other.quota - one.quota);
  const total = lines.reduce((sum, { quota }) => sum + quota, 0);
  const money = (quota: number) => formatQuota(quota, scale, { digits: 4 });
  return (
    <Box
      sx={{
        bgcolor: 'background.raised',
        border: 1,
        borderColor: 'border.subtle',
        borderRadius: '6px',
        p: 1,
        typography: 'caption',
        boxShadow: '0 8px 24px var(--tg-shadow-float)',
        '& td:last-child': { textAlign: 'right', pl: 2 },
      }}
    >
      <Box sx={{ fontWeight: 600 }}>{summary.buckets[at]?.label}</Box>
      <table>
        <tbody>
          <tr>
            <td>{t('total')}</td>
            <td>{money(total)}</td>
          </tr>
          {lines.slice(0, MAX_LINES).map(({ model, quota }) => (
            <tr key={model}>
              <td>
                <Box component="svg" aria-hidden sx={swatch}>
                  <rect width="100%" height="100%" fill={colors.get(model) ?? otherColor} />
                </Box>
                {model}
              </td>
              <td>{money(quota)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length > MAX_LINES && t('confirm.more', { count: lines.length - MAX_LINES })}
    </Box>
  );
}

const colorsByModel = (series: Series[], colors: string[]): Map<string, string> =>
  new Map(series.map(({ model }, index) => [model, colors[index] ?? otherColor]));

const Tooltip = (props: TooltipProps) => (
  <ChartsTooltipContainer trigger="axis">
    <BucketTooltip {...props} />
  </ChartsTooltipContainer>
);

interface SpendChartProps {
  summary: Summary;
  height: number;
  /** Called with the bucket and model of a clicked bar; the model is `undefined` for the bar of all others. */
  onPick: (bucket: number, model: string | undefined) => void;
}

/** What each bucket cost, stacked by model. */
export function SpendChart({ summary, height, onPick }: SpendChartProps) {
  const { t } = useTranslation('detail');
  const scale = useQuotaScale();
  const rest = t('others');
  const top = useMemo(() => topSeries(summary.series, rest), [summary, rest]);
  const colors = useMemo(() => colorsOf(top, rest), [top, rest]);
  const slots = useMemo(
    () => ({ tooltip: () => <Tooltip summary={summary} colors={colorsByModel(top, colors)} /> }),
    [summary, top, colors],
  );
  return (
    <>
      <SeriesPatterns />
      <BarChart
        height={height}
        margin={{ top: 16, right: 24, bottom: 0, left: 0 }}
        colors={colors}
        borderRadius={2}
        slots={slots}
        slotProps={{ legend: { position: { vertical: 'top', horizontal: 'start' } } }}
        xAxis={[
          {
            scaleType: 'band',
            data: summary.buckets.map(({ label }) => label),
            // With less height the chart library truncates every label to nothing.
            height: 40,
            tickLabelMinGap: 16,
            categoryGapRatio: 0.25,
          },
        ]}
        yAxis={[{ min: 0, width: 64, valueFormatter: axisText(scale), tickNumber: 5 }]}
        grid={{ horizontal: true }}
        series={top.map(({ model, quota }) => ({
          id: model,
          label: model,
          stack: 'total',
          data: quota.map((value) => heightOf(value, scale)),
          valueFormatter: (_: number | null, { dataIndex }: { dataIndex: number }) =>
            formatQuota(quota[dataIndex] ?? 0, scale, { digits: 4 }),
        }))}
        onItemClick={(_, { seriesId, dataIndex }) =>
          onPick(dataIndex, seriesId === rest ? undefined : String(seriesId))
        }
        sx={{
          '& .MuiBarElement-root': { cursor: 'pointer', stroke: 'var(--tg-palette-background-paper)', strokeWidth: 1 },
        }}
      />
    </>
  );
}
