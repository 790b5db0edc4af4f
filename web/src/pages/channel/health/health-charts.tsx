import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import type { ChannelHealth, HealthHour } from '@tollgate/contracts/api/channel-health';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NativeField } from '../../../components/forms/native-field.js';
import { SwitchButton } from '../../../components/forms/switch-button.js';
import { formatTime } from '../../../components/basics/time-format.js';
import { everyHour, secondsText, totalsOf } from './health-lines.js';
import { HourBars } from './hour-bars.js';

export const periods = [24, 168] as const;

const light = 'color-mix(in srgb, var(--tg-palette-chart-1) 45%, transparent)';
const strong = 'var(--tg-palette-chart-1)';
const failed = 'var(--tg-palette-error-main)';

const orDash = (ms: number | undefined): string => (ms === undefined ? '—' : secondsText(ms));
/** The longest time in seconds. Hours without an answer have no time, so they are skipped and do not count as zero. */
const highest = (values: (number | undefined)[]): string | undefined => {
  const known = values.filter((ms) => ms !== undefined);
  return known.length > 0 ? secondsText(Math.max(...known)) : undefined;
};

function HourTable({ hours }: { hours: readonly HealthHour[] }) {
  const { t } = useTranslation('channel');
  const heads = ['hour', 'count', 'failed', 'p50', 'p95', 'mean'] as const;
  return (
    <Box sx={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label={t('health.asTable')}>
      <Box
        component="table"
        sx={{
          width: '100%',
          typography: 'caption',
          borderCollapse: 'collapse',
          '& th, & td': { p: 0.5, textAlign: 'right' },
        }}
      >
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {t(`health.chart.${head}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {hours.map((hour) => (
            <tr key={hour.hour}>
              <td>{formatTime(hour.hour)}</td>
              <td>{hour.requests}</td>
              <td>{hour.failures}</td>
              <td>{orDash(hour.first_token_p50)}</td>
              <td>{orDash(hour.first_token_p95)}</td>
              <td>{orDash(hour.duration)}</td>
            </tr>
          ))}
        </tbody>
      </Box>
    </Box>
  );
}

function Bars({ hours }: { hours: readonly HealthHour[] }) {
  const { t } = useTranslation('channel');
  const { requests, failures, rate } = totalsOf(hours);
  const first = highest(hours.map((hour) => hour.first_token_p95));
  const duration = highest(hours.map((hour) => hour.duration));
  const hintOf = (hour: HealthHour, name: string, text: string) => `${formatTime(hour.hour)} · ${name} ${text}`;
  return (
    <Stack spacing={2}>
      <HourBars
        title={t('health.chart.requests')}
        summary={t('health.chart.requestsSum', { requests, failures, rate })}
        colors={[light, failed]}
        bars={hours.map((hour) => ({
          at: hour.hour,
          value: hour.requests,
          part: hour.failures,
          hint: hintOf(
            hour,
            t('health.chart.count'),
            `${hour.requests} · ${t('health.chart.failed')} ${hour.failures}`,
          ),
        }))}
      />
      <HourBars
        title={t('health.chart.first')}
        summary={first === undefined ? '—' : t('health.chart.firstSum', { time: first })}
        colors={[light, strong]}
        bars={hours.map((hour) => ({
          at: hour.hour,
          value: hour.first_token_p95 ?? 0,
          part: hour.first_token_p50 ?? 0,
          hint: hintOf(hour, 'P50 / P95', `${orDash(hour.first_token_p50)} / ${orDash(hour.first_token_p95)}`),
        }))}
      />
      <HourBars
        title={t('health.chart.duration')}
        summary={duration === undefined ? '—' : t('health.chart.durationSum', { time: duration })}
        colors={[strong, strong]}
        bars={hours.map((hour) => ({
          at: hour.hour,
          value: hour.duration ?? 0,
          part: 0,
          hint: hintOf(hour, t('health.chart.mean'), orDash(hour.duration)),
        }))}
      />
    </Stack>
  );
}

interface HealthChartsProps {
  health: ChannelHealth;
  period: number;
  onPeriod: (hours: number) => void;
}

/** Hourly charts of a channel: requests, failures and response times. */
export function HealthCharts({ health, period, onPeriod }: HealthChartsProps) {
  const { t } = useTranslation('channel');
  const [asTable, setAsTable] = useState(false);
  const { hours, from, to } = health;
  const options = periods.map((count) => ({ value: String(count), label: t(`health.hours.${count}`) }));
  return (
    <Stack spacing={1.5}>
      <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
        <NativeField
          label={t('health.period')}
          hideLabel
          width={150}
          value={String(period)}
          onChange={(value) => onPeriod(Number(value))}
          options={options}
        />
        <SwitchButton on={asTable} onChange={setAsTable} label={t('health.asTable')} />
      </Stack>
      {hours === null || hours.length === 0 ? (
        <Box sx={{ color: 'text.secondary', typography: 'body2' }}>
          {t(hours === null ? 'health.chart.unknown' : 'health.chart.none')}
        </Box>
      ) : asTable ? (
        <HourTable hours={[...hours].reverse()} />
      ) : (
        <Bars hours={everyHour(hours, from, to)} />
      )}
    </Stack>
  );
}
