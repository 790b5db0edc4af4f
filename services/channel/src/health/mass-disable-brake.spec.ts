import { describe, expect, it } from '@jest/globals';
import { allowanceOf, mustHold } from './mass-disable-brake.js';

describe('the mass-disable brake', () => {
  it('lets a third of the fleet go, two of a small one, and all only of a fleet of one', () => {
    expect([1, 2, 3, 4, 6, 7, 30, 100].map(allowanceOf)).toEqual([1, 1, 2, 2, 2, 3, 10, 34]);
  });

  it('never lets a whole fleet of several go, whatever its size', () => {
    for (let fleet = 2; fleet <= 500; fleet += 1) expect(allowanceOf(fleet)).toBeLessThan(fleet);
  });

  it.each([
    ['the first of six', { enabled: 6, taken: 0 }, false],
    ['the second of six', { enabled: 5, taken: 1 }, false],
    ['the third of six', { enabled: 4, taken: 2 }, true],
    ['the only one', { enabled: 1, taken: 0 }, false],
    ['the last of two', { enabled: 1, taken: 1 }, true],
  ])('judges %s', (_, fleet, expected) => {
    expect(mustHold({ ...fleet, isLastOfItsKind: false })).toBe(expected);
  });

  it('keeps the last way to a model that lost another one just now', () => {
    expect(mustHold({ enabled: 99, taken: 1, isLastOfItsKind: true })).toBe(true);
  });
});
