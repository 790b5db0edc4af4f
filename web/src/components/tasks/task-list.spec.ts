import { describe, expect, it } from '@jest/globals';
import { renderHook } from '@testing-library/react';
import type { ListState } from '../tables/list-state.js';
import { readFilter } from '../tables/list-state.js';
import type { TaskFilter } from './task-list.js';
import { goesOn, percentOf, secondsSpent, taskFilter, useTaskRequest } from './task-list.js';

describe('tasks', () => {
  it.each([
    ['45%', 45],
    ['100%', 100],
    ['250%', 100],
    ['', undefined],
    ['soon', undefined],
  ])('reads the progress %j', (progress, percent) => {
    expect(percentOf(progress)).toBe(percent);
  });

  it('counts time in the unit of its times', () => {
    expect(secondsSpent(1_700_000_000_000, 1_700_000_061_500, 1000)).toBe(61.5);
    expect(secondsSpent(1_700_000_000, 1_700_000_061, 1)).toBe(61);
    expect(secondsSpent(1_700_000_000, 0, 1)).toBeUndefined();
    expect(secondsSpent(0, 5, 1)).toBeUndefined();
  });

  it.each([
    ['24h', '5', 0],
    ['today', '5', 0],
    ['custom', '5', 5],
  ])('ends the range %s at the time of the request', (range, end_timestamp, end) => {
    const filter: TaskFilter = { range, start_timestamp: '1', end_timestamp, id: '', channel: '' };
    const list = { filter, page: 1, size: 10 } as ListState<TaskFilter>;
    expect(renderHook(() => useTaskRequest(list, false)).result.current.request.end).toBe(end);
  });

  it.each([
    ['mj_id=a', { id: 'a', range: 'today' }],
    ['task_id=b&channel_id=7', { id: 'b', channel: '7' }],
    ['mj_id=a&id=c', { id: 'c' }],
    ['start_timestamp=5', { start_timestamp: '5', range: 'custom' }],
  ])('reads an address with names of the API: %s', (address, filter) => {
    expect(readFilter(taskFilter('today'), new URLSearchParams(address))).toMatchObject(filter);
  });

  it('reports when no task is running', () => {
    expect(goesOn([{ status: 'SUCCESS' }, { status: 'FAILURE' }])).toBe(false);
    expect(goesOn([{ status: 'SUCCESS' }, { status: '' }])).toBe(true);
    expect(goesOn(undefined)).toBe(false);
  });
});
