import { describe, expect, it } from '@jest/globals';
import { isWorthTidying } from './give-back.js';

const MB = 1024 * 1024;

describe('isWorthTidying', () => {
  it.each([
    ['a process that rests after a burst', { busy: 0.005, held: 400 * MB, heldThen: 60 * MB }, true],
    ['one that still works', { busy: 0.2, held: 400 * MB, heldThen: 60 * MB }, false],
    ['one that has grown by little', { busy: 0.005, held: 80 * MB, heldThen: 60 * MB }, false],
    ['one that was never tidied', { busy: 0.005, held: 400 * MB, heldThen: Infinity }, false],
  ])('%s', (_, rest, expected) => {
    expect(isWorthTidying(rest)).toBe(expected);
  });
});
