import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { afterPress } from './after-press.js';

describe('afterPress', () => {
  const task = jest.fn();
  const pointer = (event: string): void => void window.dispatchEvent(new Event(event));

  beforeEach(() => {
    jest.useFakeTimers();
    task.mockClear();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('runs at once while nothing is pressed', () => {
    afterPress(task);
    expect(task).toHaveBeenCalledTimes(1);
  });

  it.each(['pointerup', 'pointercancel'])('waits for %s while something is, and runs once', (event) => {
    pointer('pointerdown');
    afterPress(task);
    jest.runAllTimers();
    expect(task).not.toHaveBeenCalled();
    pointer(event);
    expect(task).not.toHaveBeenCalled();
    jest.runAllTimers();
    pointer(event);
    jest.runAllTimers();
    expect(task).toHaveBeenCalledTimes(1);
    afterPress(task);
    expect(task).toHaveBeenCalledTimes(2);
  });
});
