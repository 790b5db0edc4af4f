import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { isAdmin } from '@tollgate/contracts/roles';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { selectRole } from '../../app/slices/session.js';
import { selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { useAnswerTo } from '../../components/basics/use-answer-to.js';
import { Callout } from '../../components/feedback/callout.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { Card } from '../../components/layout/card.js';
import { FilterBar } from '../../components/filters/filter-bar.js';
import type { ListState } from '../../components/tables/list-state.js';
import { useListState } from '../../components/tables/list-state.js';
import { PageHeader } from '../../components/layout/page-header.js';
import { ErrorState, MessageState } from '../../components/feedback/states.js';
import { Attention } from './attention.js';
import { BooksLine } from './books-line.js';
import { bucketsOf, lastMoment, summarize } from './buckets.js';
import { ChartCard } from './chart-card.js';
import type { DetailFilter, Span } from './detail-filter.js';
import { detailFilter, presetFilter, presets, useDetailFields, useSpan, useSpanCheck } from './detail-filter.js';
import { useListQuotaDataQuery } from '../../api/log.api.js';
import { Figures } from './figures.js';

const MINUTE_MS = 60_000;
/** Minutes; equal to the option's default. */
const DEFAULT_INTERVAL = 5;

/** `skip`: the times are refused, and nothing is asked for. */
function useSummary(all: boolean, filter: DetailFilter, span: Span, skip: boolean) {
  const { username } = filter;
  const { from, to, granularity, live, now, askedAt } = span;
  const { data_export_interval: minutes = DEFAULT_INTERVAL } = useAppSelector(selectStatus);
  const request = { all, username, start_timestamp: from, end_timestamp: to, default_time: granularity, askedAt };
  const query = useListQuotaDataQuery(request, {
    skip,
    // Between the polls the live stream reports finished requests, if it is connected.
    pollingInterval: live ? minutes * MINUTE_MS : 0,
    skipPollingIfUnfocused: true,
  });
  const data = useAnswerTo(filter, query.currentData);
  const summary = useMemo(
    () => data && summarize(data, bucketsOf(from, lastMoment(data, { from, to, now }), granularity), granularity),
    [data, from, to, now, granularity],
  );
  return { query, summary };
}

function Presets({ list }: { list: ListState<DetailFilter> }) {
  const { t } = useTranslation('detail');
  return (
    <Box role="group" aria-label={t('presets')} sx={{ display: 'flex' }}>
      {presets.map(([id, granularity]) => {
        const filter = presetFilter(id, granularity);
        const current = Object.entries(filter).every(
          ([name, value]) => list.filter[name as keyof DetailFilter] === value,
        );
        return (
          <Button
            key={id}
            color={current ? 'primary' : 'inherit'}
            aria-pressed={current}
            onClick={() => list.apply(filter)}
            sx={{ fontWeight: 400, px: { xs: 0.75, sm: 1.5 }, bgcolor: current ? 'primary.soft' : undefined }}
          >
            {t(`preset.${id}`)}
          </Button>
        );
      })}
    </Box>
  );
}

function NoCalls() {
  const { t } = useTranslation('detail');
  return (
    <Card>
      <MessageState state="empty" title={t('empty.title')} body={t('empty.body')}>
        <Button component={Link} to="/token/add" variant="contained">
          {t('empty.action')}
        </Button>
      </MessageState>
    </Card>
  );
}

export function DetailPage() {
  const { t } = useTranslation('detail');
  const admin = isAdmin(useAppSelector(selectRole));
  const { data_export_default_time: granularity = 'hour' } = useAppSelector(selectStatus);
  const list = useListState('detail', detailFilter(granularity));
  const { span, askAgain } = useSpan(list);
  const refused = useSpanCheck(admin)(list.filter);
  const { query, summary } = useSummary(admin, list.filter, span, refused !== undefined);
  const whose = admin ? list.filter.username || t('scope.everybody') : t('scope.own');
  return (
    <Stack spacing={1.5}>
      <PageHeader
        title={t('title')}
        purpose={t('purpose')}
        freshness={{ at: query.fulfilledTimeStamp, refetch: askAgain }}
      />
      <Attention />
      <BooksLine />
      <FilterBar fields={useDetailFields(admin, span)} list={list} refetch={askAgain}>
        <Presets list={list} />
      </FilterBar>
      {query.error && <ErrorState error={query.error} retry={() => void query.refetch()} />}
      <Figures summary={summary} span={span} scope={t('scope.period', { whose })} />
      {refused !== undefined && <Callout severity="warning">{refused}</Callout>}
      {!summary && !query.error && refused === undefined && <Placeholder sx={{ height: 440 }} />}
      {summary && (summary.calls === 0 ? <NoCalls /> : <ChartCard summary={summary} span={span} />)}
    </Stack>
  );
}
