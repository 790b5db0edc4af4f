import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { afterPress } from './after-press.js';

describe('afterPress', () => {
  const task = jest.fn();
  const pressing = (isPressed: boolean): void => {
    jest.spyOn(document, 'querySelector').mockReturnValue(isPressed ? document.documentElement : null);
  };

  beforeEach(() => {
    jest.useFakeTimers();
    task.mockClear();
  });

  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('runs at once while nothing is pressed', () => {
    pressing(false);
    afterPress(task);
    expect(task).toHaveBeenCalledTimes(1);
  });

  it.each(['pointerup', 'pointercancel'])('waits for %s while something is, and runs once', (event) => {
    pressing(true);
    afterPress(task);
    jest.runAllTimers();
    expect(task).not.toHaveBeenCalled();
    window.dispatchEvent(new Event(event));
    expect(task).not.toHaveBeenCalled();
    jest.runAllTimers();
    window.dispatchEvent(new Event(event));
    jest.runAllTimers();
    expect(task).toHaveBeenCalledTimes(1);
  });
});
