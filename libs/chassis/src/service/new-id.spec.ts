import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { timeOfId } from '../timing/id-time.js';
import { newId } from './new-id.js';

describe('newId', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('makes UUIDs of version 7 that state their time', () => {
    const before = Date.now();
    const id = newId();
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(timeOfId(id)).toBeGreaterThanOrEqual(before);
    expect(timeOfId(id)).toBeLessThanOrEqual(Date.now());
  });

  it('never makes one twice, and each is greater than the one before', () => {
    const ids = Array.from({ length: 20_000 }, newId);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
  });

  it('goes on growing when the clock is set back', () => {
    const first = newId();
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 60_000);
    expect(newId() > first).toBe(true);
  });

  it('does not reveal the next id', () => {
    const tails = Array.from({ length: 1000 }, () => newId().slice(-10));
    expect(new Set(tails).size).toBe(tails.length);
  });
});
