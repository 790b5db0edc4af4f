import { jest } from '@jest/globals';

/** Timers that run as usual, and that a test can advance; `jest.useRealTimers()` ends them. */
export const useFastTimers = (): void =>
  void jest.useFakeTimers({ advanceTimers: true, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
