import DownloadIcon from '@mui/icons-material/FileDownloadOutlined';
import PrintIcon from '@mui/icons-material/PrintOutlined';
import Box from '@mui/material/Box';
import { isAdmin } from '@tollgate/contracts/roles';
import { statementKeys, statementPeriods } from '@tollgate/contracts/api/statement-choices';
import type { StatementKey } from '@tollgate/contracts/api/statement-choices';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import type { ReactNode } from 'react';
import { Suspense, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router-dom';
import type { StatementFilter } from '../../api/statement.api.js';
import { useGetStatementQuery } from '../../api/statement.api.js';
import { downloadFile } from '../../app/download.js';
import { selectRole } from '../../app/slices/session.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { useAnswerTo } from '../../components/basics/use-answer-to.js';
import { useOneAtATime } from '../../components/basics/use-one-at-a-time.js';
import { idOrNone, useIdCheck } from '../../components/filters/use-id-check.js';
import type { FilterField } from '../../components/filters/use-filter-draft.js';
import { DaySpan } from '../../components/texts/day-span.js';
import { FilterBar } from '../../components/filters/filter-bar.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import type { FilterSpec } from '../../components/tables/list-state.js';
import { useListState } from '../../components/tables/list-state.js';
import { PageHeader } from '../../components/layout/page-header.js';
import { useQuotaScale } from '../../components/money/quota-text.js';
import { ResourceTable } from '../../components/tables/resource-table.js';
import { useFilterWords } from '../../components/filters/use-filter-words.js';
import { dayOf, isDay, shiftDay } from './days.js';
import { PeriodCard } from './period-card.js';
import { PrintedRows } from './printed-rows.js';
import { columnsFor } from './statement-columns.js';
import { Totals } from './totals.js';
import { ChartPlaceholder } from './chart-placeholder.js';
import { useWholeStatement } from './use-whole-statement.js';

const MarginChart = lazyPart(async () => (await import('./margin-chart.js')).MarginChart);
const StatementChart = lazyPart(async () => (await import('./statement-chart.js')).StatementChart);

const isKey = (text: string): text is StatementKey => (statementKeys as readonly string[]).includes(text);

/** Users may not see which channels served them, and all rows of their own statement have the same user. */
const hiddenKeys: ReadonlySet<StatementKey> = new Set(['user', 'channel']);

/** The filters; the default span is the current month up to today. */
function specFor(now: number, own: boolean): FilterSpec<StatementFilter> {
  const end = dayOf(now);
  return {
    defaults: { start: `${end.slice(0, 7)}-01`, end, period: 'day', by: 'none', user_id: '' },
    accept: {
      start: /^\d{4}-\d{2}-\d{2}$/,
      end: /^\d{4}-\d{2}-\d{2}$/,
      period: /^(day|week|month|span)$/,
      by: own ? /^(none|group|model)$/ : /^(none|user|group|channel|model)$/,
      user_id: idOrNone,
    },
  };
}

function useFields(own: boolean): FilterField<StatementFilter>[] {
  const { t } = useTranslation('statement');
  const day = (value: string, { start, end }: StatementFilter) => {
    if (!isDay(value)) return t('badDay');
    return start > end || shiftDay(start, 366) <= end ? t('badSpan') : undefined;
  };
  const checkId = useIdCheck();
  return [
    { name: 'start', kind: 'text', label: t('start'), width: 124, check: day },
    { name: 'end', kind: 'text', label: t('end'), width: 124, check: day },
    {
      name: 'period',
      kind: 'select',
      label: t('period'),
      width: 104,
      options: statementPeriods.map((value) => ({ value, label: t(`periodOf.${value}`) })),
    },
    {
      name: 'by',
      kind: 'select',
      label: t('by.label'),
      width: 124,
      options: statementKeys
        .filter((key) => !own || !hiddenKeys.has(key))
        .map((value) => ({ value, label: t(`by.${value}`) })),
    },
    ...(own ? [] : [{ name: 'user_id', kind: 'text', label: t('user'), width: 96, check: checkId } as const]),
  ];
}

/** Tabs for administrators: the statement of all users, or their own as any user sees it. */
function Whose({ own }: { own: boolean }) {
  const { t } = useTranslation('statement');
  return (
    <Tabs value={own ? 'own' : 'all'} aria-label={t('title')} sx={{ mt: 0.5 }} className="no-print">
      <Tab value="all" label={t('whose.all')} component={Link} to="/statement" />
      <Tab value="own" label={t('whose.own')} component={Link} to="/statement/self" />
    </Tabs>
  );
}

function Chart({
  loaded,
  failed,
  filter,
  own,
}: {
  loaded: boolean;
  failed: boolean;
  filter: StatementFilter;
  own: boolean;
}) {
  if (!loaded) return failed ? null : <ChartPlaceholder />;
  return (
    <Suspense fallback={<ChartPlaceholder />}>
      <StatementChart filter={filter} own={own} />
      {!own && filter.by !== 'none' && <MarginChart filter={filter} />}
    </Suspense>
  );
}

function useFile(filter: StatementFilter, own: boolean) {
  const dispatch = useAppDispatch();
  const path = own ? 'api/statement/self/export' : 'api/statement/export';
  return useOneAtATime(() => dispatch(downloadFile(path, filter, `statement_${filter.start}_${filter.end}.csv`)));
}

/** The export and the print of the statement. */
function useActions(filter: StatementFilter, own: boolean, { loading, print }: ReturnType<typeof useWholeStatement>) {
  const { t } = useTranslation('statement');
  const file = useFile(filter, own);
  return [
    { id: 'export', label: t('posting.export'), icon: <DownloadIcon />, run: file.start, busy: file.busy },
    {
      id: 'print',
      label: t('print'),
      icon: <PrintIcon />,
      run: () => void print(),
      disabledReason: loading ? t('printing') : undefined,
    },
  ];
}

/**
 * Sums of the journal by period. The print button and Ctrl+P print all rows; the browser's print menu prints only the
 * current page.
 */
function Statement({ own, tabs }: { own: boolean; tabs: ReactNode }) {
  const { t } = useTranslation('statement');
  const spec = useMemo(() => specFor(Date.now(), own), [own]);
  const list = useListState(own ? 'own-statement' : 'statement', spec);
  const { filter } = list;
  const query = useGetStatementQuery({ ...list.request, own });
  const paper = useWholeStatement(filter, own);
  const fields = useFields(own);
  const describe = useFilterWords(fields);
  const by = isKey(filter.by) ? filter.by : 'none';
  // While printing, the sums are those of the same load as the printed rows.
  const sums = useAnswerTo(filter, query.currentData);
  const data = paper.whole ?? sums;
  const scale = useQuotaScale();
  const columns = useMemo(() => columnsFor(by, own, data && { ...data, scale }), [by, own, data, scale]);
  const scope = (
    <>
      <DaySpan from={filter.start} to={filter.end} /> UTC
    </>
  );
  const actions = useActions(filter, own, paper);
  return (
    <>
      <PageHeader
        title={t(own ? 'ownTitle' : 'title')}
        purpose={t(own ? 'ownPurpose' : 'purpose')}
        secondary={actions}
        freshness={{ at: query.fulfilledTimeStamp, refetch: query.refetch }}
      >
        {tabs}
      </PageHeader>
      <Box className="no-print" sx={{ mb: 2 }}>
        <FilterBar fields={fields} list={list} refetch={query.refetch} describe={describe} />
      </Box>
      <Totals data={data} scope={scope} own={own} />
      <Chart loaded={Boolean(sums)} failed={Boolean(query.error)} filter={filter} own={own} />
      <PrintedRows whole={paper.whole} columns={columns} />
      <Box className={paper.whole && 'no-print'}>
        <ResourceTable
          id={own ? `own-statement-${by}` : `statement-${by}`}
          label={t('title')}
          columns={columns}
          rowId={({ row }) => row}
          rowName={({ period, key }) => `${period} ${key}`.trim()}
          query={{ ...query, data: sums }}
          list={list}
          density="compact"
          asHighAsRows
          empty={{ title: t('empty'), body: t('emptyBody') }}
          filterTexts={list.active.flatMap((field) => describe(field, filter[field]) ?? [])}
        />
      </Box>
    </>
  );
}

export function StatementPage() {
  const admin = isAdmin(useAppSelector(selectRole));
  const { whose } = useParams();
  const own = !admin || whose === 'self';
  return (
    <>
      <Statement key={String(own)} own={own} tabs={admin && <Whose own={own} />} />
      {!own && (
        <Box sx={{ mt: 2 }}>
          <PeriodCard />
        </Box>
      )}
    </>
  );
}
