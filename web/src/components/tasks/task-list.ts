import type { ReactNode } from 'react';
import { createContext, useMemo, useState } from 'react';
import type { TaskRequest } from '../../api/task.api.js';
import type { FilterSpec, ListState } from '../tables/list-state.js';
import { spanOf, withRange } from '../filters/time-range.js';
import { idOrNone } from '../filters/use-id-check.js';

export type TaskFilter = Record<'range' | 'start_timestamp' | 'end_timestamp' | 'id' | 'channel', string>;

/** Names of the API for filters of these pages. */
const apiNames: [string, keyof TaskFilter][] = [
  ['mj_id', 'id'],
  ['task_id', 'id'],
  ['channel_id', 'channel'],
];

function withOwnNames(params: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [theirs, ours] of apiNames) {
    const value = next.get(theirs);
    if (value !== null && !next.has(ours)) next.set(ours, value);
    next.delete(theirs);
  }
  return next;
}

export const taskFilter = (range: '30d' | 'today'): FilterSpec<TaskFilter> => ({
  defaults: { range, start_timestamp: '', end_timestamp: '', id: '', channel: '' },
  accept: {
    range: /^(today|24h|7d|30d|custom)$/,
    start_timestamp: /^\d{0,12}$/,
    end_timestamp: /^\d{0,12}$/,
    channel: idOrNone,
  },
  understand: (params) => withRange(withOwnNames(params)),
});

/** Renders the whole of a text that a cell has no room for, above the page until it is closed. */
export type DrawOpened = (close: () => void) => ReactNode;
export const OpenContext = createContext<(draw: DrawOpened) => void>(() => undefined);

/** Polling interval while a task on the page is unfinished and the window has the focus. */
export const LOOK_AGAIN_MS = 5000;

/** The query of a list of tasks. Relative ranges are computed from the time of the last query. */
export function useTaskRequest(list: ListState<TaskFilter>, all: boolean) {
  const [askedAt, setAskedAt] = useState(() => Math.floor(Date.now() / 1000));
  const { filter, page, size } = list;
  const request = useMemo((): TaskRequest => {
    const { range, start_timestamp: from, end_timestamp: to, id, channel } = filter;
    const { start, end } = spanOf(range, askedAt, { start: Number(from), end: Number(to) });
    // A relative range is sent without an end, because the page may poll with the same parameters for hours.
    return { all, page, size, id, channel, askedAt, start, end: range === 'custom' ? end : 0 };
  }, [filter, page, size, all, askedAt]);
  const askAgain = (): void => setAskedAt((before) => Math.max(before + 1, Math.floor(Date.now() / 1000)));
  return { request, askAgain };
}

const OVER = new Set(['SUCCESS', 'FAILURE']);
/** Whether any task on the page is unfinished. */
export const goesOn = (rows: readonly { status: string }[] | undefined): boolean =>
  rows?.some(({ status }) => !OVER.has(status)) ?? false;

/** 0–100; `undefined` if the text is no percentage. */
export function percentOf(progress: string): number | undefined {
  const match = /^(\d{1,3}(?:\.\d+)?)%$/.exec(progress);
  return match ? Math.min(100, Number(match[1])) : undefined;
}

/** Seconds from submission to the end; `undefined` while the task is unfinished. Times are in `1 / unit` seconds; 0: not reached. */
export const secondsSpent = (submitted: number, finished: number, unit: 1 | 1000): number | undefined =>
  submitted > 0 && finished >= submitted ? (finished - submitted) / unit : undefined;
