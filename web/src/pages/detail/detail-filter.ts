import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FilterField } from '../../components/filters/use-filter-draft.js';
import type { FilterSpec, ListState } from '../../components/tables/list-state.js';
import { formatTime } from '../../components/basics/time-format.js';
import type { Granularity } from './buckets.js';
import { granularities } from './buckets.js';

export type DetailFilter = Record<'start_timestamp' | 'end_timestamp' | 'default_time' | 'username', string>;

const DAY = 86_400;
const HOUR = 3600;
/** The longest ranges in days: the server's for a user's own calls and for those of everybody. */
const LONGEST = { own: 31, all: 366 };
const spans: Record<Granularity, number> = { hour: DAY, day: 7 * DAY, week: 30 * DAY };

const specs = new Map<string, FilterSpec<DetailFilter>>();
/** The default granularity is the operator's; the default range follows from the granularity. */
export function detailFilter(granularity: string): FilterSpec<DetailFilter> {
  const spec = specs.get(granularity) ?? {
    defaults: { start_timestamp: '', end_timestamp: '', default_time: granularity, username: '' },
    accept: { start_timestamp: /^\d{0,12}$/, end_timestamp: /^\d{0,12}$/, default_time: /^(hour|day|week)$/ },
  };
  specs.set(granularity, spec);
  return spec;
}

export interface Span {
  from: number;
  to: number;
  granularity: Granularity;
  /** True while the range reaches up to the present and moves with the clock. */
  live: boolean;
  now: number;
  /**
   * When the reader last pressed refresh. It is part of the request, because a range with fixed times would otherwise
   * give the same, cached request.
   */
  askedAt: number;
}

const MOVE_MS = 10 * 60_000;
const nowSeconds = (): number => Math.floor(Date.now() / 1000);
/** The end that is sent for a range without one. */
const openEnd = (now: number): number => now + HOUR;

export function useSpan({ filter }: ListState<DetailFilter>) {
  const [now, setNow] = useState(nowSeconds);
  const [askedAt, setAskedAt] = useState(now);
  // A page that is left open must not reach the end of its range.
  useEffect(() => {
    const timer = setInterval(() => setNow(nowSeconds()), MOVE_MS);
    return () => clearInterval(timer);
  }, []);
  const span = useMemo((): Span => {
    const granularity = filter.default_time as Granularity;
    const to = Number(filter.end_timestamp) || openEnd(now);
    const from = Number(filter.start_timestamp) || Math.min(now, to) - spans[granularity];
    return { from, to, granularity, live: to >= now, now, askedAt };
  }, [filter, now, askedAt]);
  const askAgain = () => {
    setNow(nowSeconds());
    setAskedAt((before) => Math.max(before + 1, nowSeconds()));
  };
  return { span, askAgain };
}

/** The preset ranges and their granularity. */
export const presets = [
  ['today', 'hour'],
  ['24h', 'hour'],
  ['7d', 'day'],
  ['30d', 'week'],
] as const;

export function presetFilter(id: (typeof presets)[number][0], granularity: Granularity): Partial<DetailFilter> {
  if (id !== 'today') return { start_timestamp: '', end_timestamp: '', default_time: granularity };
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  return {
    start_timestamp: String(Math.floor(midnight.getTime() / 1000)),
    end_timestamp: '',
    default_time: granularity,
  };
}

/** What is wrong with the times of a filter. The fields say it, and such times are not asked for. */
export function useSpanCheck(admin: boolean) {
  const { t } = useTranslation('detail');
  return ({ start_timestamp: start, end_timestamp: end, default_time: granularity }: DetailFilter) => {
    const [from, to] = [Number(start), Number(end) || openEnd(nowSeconds())];
    if (from > 0 && from > to) return t('time.order');
    // More bars than the hours of a month could not be told apart.
    const days = admin && granularity !== 'hour' ? LONGEST.all : LONGEST.own;
    if (from === 0 || to - from <= days * DAY) return undefined;
    return t(admin && granularity === 'hour' ? 'filter.tooManyHours' : 'filter.tooLong', { days });
  };
}

export function useDetailFields(admin: boolean, span: Span): FilterField<DetailFilter>[] {
  const { t } = useTranslation('detail');
  const checkSpan = useSpanCheck(admin);
  const check = (_: string, filter: DetailFilter) => checkSpan(filter);
  const options = granularities.map((value) => ({ value, label: t(`granularity.${value}`) }));
  return [
    {
      name: 'start_timestamp',
      kind: 'time',
      label: t('filter.start'),
      placeholder: formatTime(span.from),
      width: 196,
      check,
    },
    {
      name: 'end_timestamp',
      kind: 'time',
      label: t('filter.end'),
      placeholder: formatTime(span.to),
      width: 196,
      check,
    },
    { name: 'default_time', kind: 'select', label: t('filter.granularity'), width: 110, options },
    ...(admin
      ? [{ name: 'username', kind: 'text', label: t('filter.user'), width: 140 } satisfies FilterField<DetailFilter>]
      : []),
  ];
}
