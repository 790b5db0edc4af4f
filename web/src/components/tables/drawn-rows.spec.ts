import { describe, expect, it } from '@jest/globals';
import { AT_ONCE, drawnOf } from './drawn-rows.js';

const ids = (count: number, from = 0): number[] => Array.from({ length: count }, (_, index) => from + index);

describe('the rows that are rendered', () => {
  it('are all of a short list, and the first of a long one', () => {
    expect(drawnOf(ids(AT_ONCE)).count).toBe(AT_ONCE);
    expect(drawnOf(ids(3)).count).toBe(3);
    expect(drawnOf(ids(100)).count).toBe(AT_ONCE);
  });

  it('stay rendered while rows change, are added or removed', () => {
    const whole = { ids: ids(100), count: 100 };
    expect(drawnOf(ids(100, 2), whole).count).toBe(100);
    expect(drawnOf(ids(90), whole).count).toBe(90);
    expect(drawnOf(ids(101), whole).count).toBe(101);
  });

  it('start again with another page', () => {
    expect(drawnOf(ids(100, 100), { ids: ids(100), count: 100 }).count).toBe(AT_ONCE);
  });

  it('continue from the same row when rows change before all are rendered', () => {
    expect(drawnOf(ids(100, 1), { ids: ids(100), count: 50 }).count).toBe(50);
    expect(drawnOf(ids(40), { ids: ids(100), count: 50 }).count).toBe(40);
  });
});
