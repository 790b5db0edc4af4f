import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { LogType } from '@tollgate/contracts/roles';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { Placeholder } from '../../components/feedback/busy.js';
import { Card } from '../../components/layout/card.js';
import { downloadCsv } from '../../components/basics/csv.js';
import { formatQuota, formatUnits } from '../../components/money/quota-format.js';
import { QuotaText, useQuotaScale } from '../../components/money/quota-text.js';
import { SwitchButton } from '../../components/forms/switch-button.js';
import { useMobile } from '../../components/basics/use-media.js';
import { zoneName } from '../../components/basics/time-format.js';
import type { Summary } from './buckets.js';
import { csvLines } from './csv.js';
import type { Span } from './detail-filter.js';
import { lazyPart } from '../../components/basics/lazy-part.js';

const SpendChart = lazyPart(async () => (await import('./spend-chart.js')).SpendChart);
const CallsChart = lazyPart(async () => (await import('./calls-chart.js')).CallsChart);
const DataTable = lazyPart(async () => (await import('./data-table.js')).DataTable);

const tabs = ['spend', 'calls'] as const;
type TabId = (typeof tabs)[number];

/** Opens the usage log with the rows that a bar stands for. */
function useOpenLog(summary: Summary) {
  const navigate = useNavigate();
  return (at: number, model: string | undefined) => {
    const bucket = summary.buckets[at];
    if (!bucket) return;
    const params = new URLSearchParams({
      range: 'custom',
      start_timestamp: String(bucket.start),
      end_timestamp: String(bucket.end - 1),
      type: String(LogType.consume),
    });
    if (model) params.set('model_name', model);
    void navigate(`/log?${params.toString()}`);
  };
}

function Chart({ tab, summary, asTable }: { tab: TabId; summary: Summary; asTable: boolean }) {
  const { t } = useTranslation('detail');
  const height = useMobile() ? 240 : 360;
  const onPick = useOpenLog(summary);
  const money = formatQuota(summary.quota, useQuotaScale());
  if (asTable) return <DataTable summary={summary} label={t(`${tab}.title`)} />;
  const count = summary.series.length;
  // The chart library puts its label on an element without a role, which screen readers may skip, so the label is on
  // the figure around it.
  return (
    <Box
      component="figure"
      aria-label={`${t(`${tab}.title`)}: ${t(`${tab}.summary`, { total: tab === 'spend' ? money : summary.calls, count })}`}
      sx={{ m: 0 }}
    >
      {tab === 'spend' ? (
        <SpendChart summary={summary} height={height} onPick={onPick} />
      ) : (
        <CallsChart summary={summary} height={height} />
      )}
    </Box>
  );
}

/** Spend and calls of the period, each as a chart or as a table. */
export function ChartCard({ summary, span }: { summary: Summary; span: Span }) {
  const { t } = useTranslation('detail');
  const [tab, setTab] = useState<TabId>('spend');
  const [asTable, setAsTable] = useState(false);
  const height = useMobile() ? 240 : 360;
  const unfinished = span.live && tab === 'spend';
  return (
    <Card sx={{ p: 2 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: { xs: 0.5, sm: 1 }, mb: 1 }}>
        <Tabs value={tab} onChange={(_, value: TabId) => setTab(value)} aria-label={t('tabs')}>
          {tabs.map((id) => (
            <Tab
              key={id}
              value={id}
              label={t(`${id}.tab`)}
              id={`tab-${id}`}
              aria-controls="chart-panel"
              sx={{ px: { xs: 1, sm: 1.5 } }}
            />
          ))}
        </Tabs>
        <Box sx={{ flex: 1 }} />
        <SwitchButton on={asTable} onChange={setAsTable} label={t('asTable')} />
        <Button onClick={() => downloadCsv(`usage_${span.from}_${span.to}.csv`, csvLines(summary))}>{t('csv')}</Button>
      </Box>
      <Box id="chart-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        <Box sx={{ typography: 'subtitle1' }}>{t(`${tab}.title`)}</Box>
        <Box sx={{ typography: 'body2', color: 'text.secondary', mb: 1 }}>
          {t('total')} {tab === 'spend' ? <QuotaText quota={summary.quota} /> : formatUnits(summary.calls)} ·{' '}
          {zoneName()}
          {unfinished && ` · ${t('unfinished')}`}
        </Box>
        <Suspense fallback={<Placeholder sx={{ height }} />}>
          <Chart tab={tab} summary={summary} asTable={asTable} />
        </Suspense>
      </Box>
    </Card>
  );
}
