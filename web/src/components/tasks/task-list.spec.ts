import { describe, expect, it } from '@jest/globals';
import { goesOn, percentOf, secondsSpent } from './task-list.js';

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

  it('knows when nothing goes on any more', () => {
    expect(goesOn([{ status: 'SUCCESS' }, { status: 'FAILURE' }])).toBe(false);
    expect(goesOn([{ status: 'SUCCESS' }, { status: '' }])).toBe(true);
    expect(goesOn(undefined)).toBe(false);
  });
});
