import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, renderHook } from '@testing-library/react';
import { useCountdown } from './use-countdown.js';

describe('a countdown', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('ends at zero and ticks no more, and can be started again', () => {
    const { result } = renderHook(() => useCountdown());
    for (const seconds of [2, 1]) {
      act(() => result.current[1](seconds));
      expect(result.current[0]).toBe(seconds);
      act(() => void jest.advanceTimersByTime(seconds * 1000));
      expect([result.current[0], jest.getTimerCount()]).toEqual([0, 0]);
    }
  });
});
