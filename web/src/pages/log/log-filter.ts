import { isAdmin } from '@tollgate/contracts/roles';
import { useMemo } from 'react';
import { selectRole } from '../../app/slices/session.js';
import { useAppSelector } from '../../app/store.js';
import type { FilterSpec, ListState } from '../../components/list-state.js';
import { useListState } from '../../components/list-state.js';

/** Names of the address; times are Unix seconds, and a relative range stays relative. */
export type LogSearch = {
  range: string;
  start_timestamp: string;
  end_timestamp: string;
  type: string;
  token_name: string;
  model_name: string;
  group: string;
  request_id: string;
  channel: string;
  username: string;
};

export const ranges = ['today', '24h', '7d', '30d', 'all', 'custom'] as const;
export type Range = (typeof ranges)[number];

export const HOUR = 3600;
const DAY = 24 * HOUR;
const lengths: Record<string, number> = { '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY };

const defaults: LogSearch = {
  range: 'today',
  start_timestamp: '',
  end_timestamp: '',
  type: '0',
  token_name: '',
  model_name: '',
  group: '',
  request_id: '',
  channel: '',
  username: '',
};
const seconds = /^\d{1,11}$/;
const adminSpec: FilterSpec<LogSearch> = {
  defaults,
  accept: {
    range: new RegExp(`^(${ranges.join('|')})$`),
    start_timestamp: seconds,
    end_timestamp: seconds,
    type: /^[0-6]$/,
    channel: /^\d{1,9}$/,
  },
};
/** What users may not filter by is dropped from the address. */
const ownSpec: FilterSpec<LogSearch> = {
  defaults,
  accept: { ...adminSpec.accept, channel: /^$/, username: /^$/ },
};

export function startOfDay(now: number): number {
  const at = new Date(now * 1000);
  return Math.floor(new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime() / 1000);
}

/** Times in an address mean themselves, also without a word about the range. */
const withRange = (filter: LogSearch): LogSearch =>
  filter.range === defaults.range && (filter.start_timestamp || filter.end_timestamp)
    ? { ...filter, range: 'custom' }
    : filter;

/** A relative range has no times of its own; an own range begins with those of today. */
export function settled(filter: LogSearch, now = Math.floor(Date.now() / 1000)): LogSearch {
  if (filter.range !== 'custom') return { ...filter, start_timestamp: '', end_timestamp: '' };
  if (filter.start_timestamp || filter.end_timestamp) return filter;
  return { ...filter, start_timestamp: String(startOfDay(now)), end_timestamp: String(now + HOUR) };
}

/** A request is looked up whenever it was: its id alone decides unless a range is chosen. */
export const rangeOf = ({ range, request_id: id }: LogSearch): Range =>
  id && range === defaults.range ? 'all' : (range as Range);

/** Both bounds in Unix seconds, 0: none. The end is an hour ahead, for servers whose clock is. */
export function periodOf(filter: LogSearch, now: number): { start: number; end: number } {
  const range = rangeOf(filter);
  if (range === 'all') return { start: 0, end: 0 };
  if (range === 'custom') return { start: Number(filter.start_timestamp), end: Number(filter.end_timestamp) };
  const start = range === 'today' ? startOfDay(now) : now - (lengths[range] ?? DAY);
  return { start, end: now + HOUR };
}

export interface LogList extends ListState<LogSearch> {
  isAdmin: boolean;
}

export function useLogList(): LogList {
  const admin = isAdmin(useAppSelector(selectRole));
  const list = useListState('log', admin ? adminSpec : ownSpec);
  const filter = useMemo(() => withRange(list.filter), [list.filter]);
  return {
    ...list,
    isAdmin: admin,
    filter,
    request: useMemo(() => ({ page: list.page, size: list.size, filter }), [list.page, list.size, filter]),
    apply: (change) => list.apply(settled({ ...filter, ...change })),
  };
}
