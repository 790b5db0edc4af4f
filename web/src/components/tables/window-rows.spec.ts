import { describe, expect, it } from '@jest/globals';
import { windowOf } from './window-rows.js';

describe('windowOf', () => {
  it('renders short tables completely', () => {
    expect(windowOf(100, 44, 0, 600)).toEqual({ from: 0, to: 100, before: 0, after: 0 });
  });

  it('renders the rows in view and a few more, and keeps the height of the rest', () => {
    const { from, to, before, after } = windowOf(10_000, 44, 44_000, 440);
    expect([from, to]).toEqual([988, 1022]); // row 1000 to 1010, twelve more on each side
    expect(before + (to - from) * 44 + after).toBe(440_000);
  });

  it('stays inside the table at its ends', () => {
    expect(windowOf(200, 44, 0, 440).from).toBe(0);
    expect(windowOf(200, 44, 999_999, 440)).toMatchObject({ to: 200, after: 0 });
  });
});
