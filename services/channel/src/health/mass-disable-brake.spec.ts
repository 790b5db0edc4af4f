import { describe, expect, it } from '@jest/globals';
import { allowanceOf, mustHold } from './mass-disable-brake.js';

describe('the mass-disable brake', () => {
  it('allows to disable a third of the channels, two of a few, and the last one only when it is the only one', () => {
    expect([1, 2, 3, 4, 6, 7, 30, 100].map(allowanceOf)).toEqual([1, 1, 2, 2, 2, 3, 10, 34]);
  });

  it('never allows to disable all of several channels', () => {
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

  it('keeps the last channel of a model that just lost another one', () => {
    expect(mustHold({ enabled: 99, taken: 1, isLastOfItsKind: true })).toBe(true);
  });
});
