import { describe, expect, it } from '@jest/globals';
import { hasPassed } from './lease.reaper.js';

describe('hasPassed', () => {
  it('requires every partition to be booked up to its noted end', () => {
    expect(hasPassed({ 0: '5', 1: '0' }, { 0: 5n })).toBe(true);
    expect(hasPassed({ 0: '5', 1: '1' }, { 0: 9n })).toBe(false);
    expect(hasPassed({ 0: '9007199254740993' }, { 0: 9007199254740992n })).toBe(false);
  });
});
