import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { idOrNone, useIdCheck } from '../../components/filters/use-id-check.js';
import { useOrderCheck } from '../../components/filters/use-order-check.js';
import type { FilterField } from '../../components/filters/use-filter-draft.js';
import type { FilterSpec, ListState } from '../../components/tables/list-state.js';
import { spanOf, ranges, withRange } from '../../components/filters/time-range.js';
import { knownTypes } from './log-facts.js';
import type { LogQuery } from '../../api/log.api.js';

export type LogFilter = Record<
  | 'range'
  | 'start_timestamp'
  | 'end_timestamp'
  | 'type'
  | 'token_name'
  | 'model_name'
  | 'group'
  | 'channel'
  | 'username'
  | 'request_id',
  string
>;

/** Most rows of one export. It takes fifty calls, which stays well below the rate limit of a user. */
export const MOST_EXPORTED = 5000;

export const logFilter: FilterSpec<LogFilter> = {
  defaults: {
    range: 'today',
    start_timestamp: '',
    end_timestamp: '',
    type: '0',
    token_name: '',
    model_name: '',
    group: '',
    channel: '',
    username: '',
    request_id: '',
  },
  accept: {
    range: /^(today|24h|7d|30d|custom)$/,
    start_timestamp: /^\d{0,12}$/,
    end_timestamp: /^\d{0,12}$/,
    type: /^[0-6]$/,
    channel: idOrNone,
  },
  understand: withRange,
};

/** For users, whose log has no users and channels: such filters of an address would do nothing and have no field. */
export const ownLogFilter: FilterSpec<LogFilter> = {
  ...logFilter,
  accept: { ...logFilter.accept, channel: /^$/, username: /^$/ },
};

/** The effective range. A search for a request id covers all times, unless a range was chosen. */
export const rangeOf = ({ range, request_id: id }: LogFilter): string =>
  id !== '' && range === logFilter.defaults.range ? 'all' : range;

/** The filters as query parameters. Relative ranges end at the time of the last request. */
export function useLogQuery({ filter }: ListState<LogFilter>) {
  const [askedAt, setAskedAt] = useState(() => Math.floor(Date.now() / 1000));
  const query = useMemo((): LogQuery => {
    const { range: _, start_timestamp: from, end_timestamp: to, ...rest } = filter;
    const range = rangeOf(filter);
    const own = { start: Number(from), end: Number(to) };
    const { start, end } = range === 'all' ? { start: 0, end: 0 } : spanOf(range, askedAt, own);
    return { ...rest, start_timestamp: start, end_timestamp: end };
  }, [filter, askedAt]);
  // `askedAt` makes each refresh a new request: with a fixed range, or within the same second, the parameters alone
  // would be equal and the cached reply would be used.
  return {
    query,
    askedAt,
    askAgain: () => setAskedAt((before) => Math.max(before + 1, Math.floor(Date.now() / 1000))),
  };
}

/** The filter fields in the specified order; administrators have two more. */
export function useLogFields(admin: boolean, filter: LogFilter): FilterField<LogFilter>[] {
  const { t } = useTranslation('log');
  const order = useOrderCheck();
  const custom: FilterField<LogFilter>[] = [
    { name: 'start_timestamp', kind: 'time', label: t('filter.start'), width: 212, check: order },
    { name: 'end_timestamp', kind: 'time', label: t('filter.end'), width: 212, check: order },
  ];
  const checkId = useIdCheck();
  const own: FilterField<LogFilter>[] = [
    {
      name: 'range',
      kind: 'select',
      chip: false,
      label: t('filter.range'),
      width: 118,
      options: ranges.map((value) => ({ value, label: t(`range.${value}`) })),
    },
    ...(filter.range === 'custom' ? custom : []),
    {
      name: 'type',
      kind: 'select',
      label: t('filter.type'),
      width: 92,
      options: [
        { value: '0', label: t('type.all') },
        ...knownTypes.map((type) => ({ value: String(type), label: t(`type.${type}`) })),
      ],
    },
    { name: 'token_name', kind: 'text', label: t('filter.token'), width: 104 },
    { name: 'model_name', kind: 'text', label: t('filter.model'), width: 116 },
    { name: 'group', kind: 'text', label: t('filter.group'), width: 84 },
  ];
  const forAdmins: FilterField<LogFilter>[] = [
    { name: 'channel', kind: 'text', label: t('filter.channel'), width: 84, check: checkId },
    { name: 'username', kind: 'text', label: t('filter.user'), width: 108 },
  ];
  const requestId: FilterField<LogFilter> = {
    name: 'request_id',
    kind: 'text',
    label: t('filter.requestId'),
    width: 112,
  };
  return [...own, ...(admin ? forAdmins : []), requestId];
}
