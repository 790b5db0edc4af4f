import type { ReactNode } from 'react';
import { createContext, useMemo, useState } from 'react';
import type { TaskRequest } from '../../api/task.api.js';
import type { FilterSpec, ListState } from '../tables/list-state.js';
import { spanOf } from '../filters/time-range.js';
import { idOrNone } from '../filters/use-id-check.js';

export type TaskFilter = Record<'range' | 'start_timestamp' | 'end_timestamp' | 'id' | 'channel', string>;

export const taskFilter = (range: '30d' | 'today'): FilterSpec<TaskFilter> => ({
  defaults: { range, start_timestamp: '', end_timestamp: '', id: '', channel: '' },
  accept: {
    range: /^(today|24h|7d|30d|custom)$/,
    start_timestamp: /^\d{0,12}$/,
    end_timestamp: /^\d{0,12}$/,
    channel: idOrNone,
  },
});

/** Shows what a cell has no room for, over the page until it is closed. */
export type DrawOpened = (close: () => void) => ReactNode;
export const OpenContext = createContext<(draw: DrawOpened) => void>(() => undefined);

/** How often rows are asked for again while one of them is not finished, and somebody looks. */
export const LOOK_AGAIN_MS = 5000;

/** The question of a list of tasks. Relative ranges are counted from the moment of the last question. */
export function useTaskRequest(list: ListState<TaskFilter>, all: boolean) {
  const [askedAt, setAskedAt] = useState(() => Math.floor(Date.now() / 1000));
  const { filter, page, size } = list;
  const request = useMemo((): TaskRequest => {
    const { range, start_timestamp: from, end_timestamp: to, id, channel } = filter;
    const { start, end } = spanOf(range, askedAt, { start: Number(from), end: Number(to) });
    // Open pages ask again for hours: a range that moves with the clock has no end that they could reach.
    return { all, page, size, id, channel, askedAt, start, end: range === 'custom' ? end : 0 };
  }, [filter, page, size, all, askedAt]);
  const askAgain = (): void => setAskedAt((before) => Math.max(before + 1, Math.floor(Date.now() / 1000)));
  return { request, askAgain };
}

const OVER = new Set(['SUCCESS', 'FAILURE']);
/** Whether anything on the page still goes on. */
export const goesOn = (rows: readonly { status: string }[] | undefined): boolean =>
  rows?.some(({ status }) => !OVER.has(status)) ?? false;

/** 0–100; undefined for what is no percentage. */
export function percentOf(progress: string): number | undefined {
  const match = /^(\d{1,3}(?:\.\d+)?)%$/.exec(progress);
  return match ? Math.min(100, Number(match[1])) : undefined;
}

/** Seconds from submission to the end; undefined while it goes on. Times of one unit, 0 = not yet. */
export const secondsSpent = (submitted: number, finished: number, unit: 1 | 1000): number | undefined =>
  submitted > 0 && finished >= submitted ? (finished - submitted) / unit : undefined;
