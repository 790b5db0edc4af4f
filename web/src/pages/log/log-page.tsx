import Box from '@mui/material/Box';
import type { Log } from '@tollgate/contracts/api/log';
import { LogType, isAdmin } from '@tollgate/contracts/roles';
import { Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { selectRole } from '../../app/slices/session.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { formatCount } from '../../components/basics/count-format.js';
import { useAnswerTo } from '../../components/basics/use-answer-to.js';
import { useOneAtATime } from '../../components/basics/use-one-at-a-time.js';
import { BusyLine } from '../../components/feedback/busy.js';
import { FilterBar } from '../../components/filters/filter-bar.js';
import type { ListState } from '../../components/tables/list-state.js';
import { useListState } from '../../components/tables/list-state.js';
import type { Action } from '../../components/layout/page-header.js';
import { PageHeader } from '../../components/layout/page-header.js';
import { useFilterWords } from '../../components/filters/use-filter-words.js';
import { QuotaText, useQuotaScale } from '../../components/money/quota-text.js';
import { ResourceTable } from '../../components/tables/resource-table.js';
import { Tag } from '../../components/texts/tag.js';
import { zoneName } from '../../components/basics/time-format.js';
import { logColumns } from './log-columns.js';
import { LogContext } from './log-context.js';
import type { LogFilter } from './log-filter.js';
import { MOST_EXPORTED, logFilter, ownLogFilter, rangeOf, useLogFields, useLogQuery } from './log-filter.js';
import type { LogQuery } from '../../api/log.api.js';
import type { Rows } from '../../api/paged.js';
import { useGetLogStatQuery, useListLogsQuery } from '../../api/log.api.js';
import { lazyPart, loadPart, PartMissing } from '../../components/basics/lazy-part.js';

const LogDetail = lazyPart(async () => (await import('./log-detail.js')).LogDetail);
const NewRows = lazyPart(async () => (await import('./new-rows.js')).NewRows);
const UserDialog = lazyPart(async () => (await import('./user-dialog.js')).UserDialog);

interface TotalsProps {
  all: boolean;
  query: LogQuery;
  askedAt: number;
  /** The filters, independent of the time of the request. */
  filter: LogFilter;
  range: string;
}

/** The totals of the filtered rows. The two rates are those of the last minute, whatever the range. */
function Totals({ range, filter, ...request }: TotalsProps) {
  const { t } = useTranslation('log');
  const { currentData, error } = useGetLogStatQuery(request);
  const data = useAnswerTo(filter, currentData);
  const known = error ? undefined : data;
  const type = Number(request.query.type);
  const otherThanConsumed = type !== LogType.all && type !== LogType.consume;
  return (
    <Box
      // As high as a button that may be in the same line.
      sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', alignItems: 'center', minHeight: 32 }}
      role="group"
      aria-label={t('totals.label')}
    >
      <Tag color="blue" title={t('totals.quotaHint')}>
        {t(otherThanConsumed ? 'totals.quotaConsumed' : 'totals.quota', { range: t(`range.${range as 'today'}`) })}{' '}
        <QuotaText quota={known?.quota} />
      </Tag>
      <Tag color="pink" title={t('totals.rateHint')}>
        {t('totals.rpm')} {known === undefined ? '—' : formatCount(known.rpm)}
      </Tag>
      <Tag title={t('totals.rateHint')}>
        {t('totals.tpm')} {known === undefined ? '—' : formatCount(known.tpm)}
      </Tag>
    </Box>
  );
}

/** The text of an empty list: names the range and offers a wider one. */
function useEmpty(list: ListState<LogFilter>) {
  const { t } = useTranslation('log');
  const range = rangeOf(list.filter);
  const wider =
    range === '7d' || range === '30d' ? undefined : { label: t('empty.week'), run: () => list.apply({ range: '7d' }) };
  const title = range === 'custom' ? t('empty.custom') : t('empty.title', { range: t(`range.${range as 'today'}`) });
  return { title, body: t('empty.body'), action: wider };
}

/** The export action. Only one export runs at a time; its code is loaded on the first use. */
function useExport(all: boolean, query: LogQuery, shown: Log[] | undefined): Action {
  const { t } = useTranslation('log');
  const dispatch = useAppDispatch();
  const { perUnit } = useQuotaScale();
  const { busy, start } = useOneAtATime(async () => {
    try {
      const { exportLogs } = await loadPart(() => import('./log-export.js'));
      await dispatch(exportLogs({ all, query, shown }, perUnit));
    } catch (error) {
      if (!(error instanceof PartMissing)) throw error;
      dispatch(toastShown({ severity: 'error', key: 'state.missingPart' }));
    }
  });
  return {
    id: 'export',
    label: t('export.title'),
    hint: t('export.hint', { count: MOST_EXPORTED }),
    disabledReason: busy ? t('export.busy') : undefined,
    run: start,
  };
}

interface NewsProps {
  all: boolean;
  list: ListState<LogFilter>;
  query: LogQuery;
  shown: { data?: Rows<Log>; startedTimeStamp?: number };
  askAgain: () => void;
}

function News({ all, list, query, shown, askAgain }: NewsProps) {
  const showNew = () => {
    if (list.page !== 1) list.setPage(1);
    askAgain();
  };
  // A relative range gets no end time, because the page may have been open for longer than the range of its last
  // request reaches.
  const open = rangeOf(list.filter) === 'custom' ? query : { ...query, end_timestamp: 0 };
  const { items = [], ...total } = shown.data ?? {};
  const newest = list.page === 1 ? items[0] : undefined;
  return (
    <Suspense fallback={null}>
      <NewRows all={all} query={open} shown={{ ...total, newest, askedAt: shown.startedTimeStamp }} onShow={showNew} />
    </Suspense>
  );
}

export function LogPage() {
  const { t } = useTranslation('log');
  const all = isAdmin(useAppSelector(selectRole));
  const list = useListState('log', all ? logFilter : ownLogFilter);
  const { query, askedAt, askAgain } = useLogQuery(list);
  const logs = useListLogsQuery({ all, page: list.page, size: list.size, query, askedAt });
  const [userId, setUserId] = useState<number>();
  const fields = useLogFields(all, list.filter);
  const describe = useFilterWords(fields);
  const columns = useMemo(() => logColumns(all), [all]);
  const empty = useEmpty(list);
  const exportAction = useExport(all, query, logs.data?.items);
  const news = <News all={all} list={list} query={query} shown={logs} askAgain={askAgain} />;
  const narrow = (name: string, value: string) => list.apply({ [name]: value } as Partial<LogFilter>);
  // The range does not count as an active filter, because an empty range has its own text.
  const tableList = { ...list, active: list.active.filter((name) => describe(name, list.filter[name]) !== undefined) };
  return (
    <LogContext value={{ showUser: setUserId, narrow }}>
      <PageHeader
        title={t('title')}
        purpose={t('purpose', { zone: zoneName() })}
        freshness={{ at: logs.fulfilledTimeStamp, refetch: askAgain, news }}
        secondary={[exportAction]}
      />
      <ResourceTable<Log>
        id="log"
        label={t('title')}
        columns={columns}
        rowId={({ id }) => id}
        rowName={({ id }) => `#${id}`}
        query={logs}
        list={tableList}
        density="compact"
        expand={(log) => (
          <Suspense fallback={<BusyLine />}>
            <LogDetail log={log} />
          </Suspense>
        )}
        tone={({ type }) => (type === LogType.error ? 'disabled' : undefined)}
        empty={empty}
        toolbar={
          <FilterBar fields={fields} list={list} refetch={askAgain} describe={describe}>
            <Totals all={all} query={query} askedAt={askedAt} filter={list.filter} range={rangeOf(list.filter)} />
          </FilterBar>
        }
        filterTexts={tableList.active.flatMap((name) => describe(name, list.filter[name]) ?? [])}
      />
      {userId !== undefined && (
        <Suspense fallback={null}>
          <UserDialog id={userId} onClose={() => setUserId(undefined)} />
        </Suspense>
      )}
    </LogContext>
  );
}
