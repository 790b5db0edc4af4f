import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { texts as zh } from '../../app/i18n/zh.js';
import { renderPage } from '../../testing/render-page.js';
import { Festive } from './festive.js';

const NEW_YEAR = new Date(2027, 0, 1, 12);

describe('the festive item', () => {
  beforeEach(async () => {
    (await renderPage('/about')).unmount();
    // jsdom has no canvas.
    jest.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('is shown on the first of January only', () => {
    for (const day of [new Date(2026, 11, 31), new Date(2027, 0, 2), new Date(2027, 1, 1)]) {
      const { unmount } = render(<Festive now={day} />);
      expect(screen.queryByRole('button')).toBeNull();
      unmount();
    }
  });

  it('stops after three seconds and reloads the page after ten', () => {
    const reload = jest.fn();
    render(<Festive now={NEW_YEAR} reload={reload} />);
    fireEvent.click(screen.getByRole('button'));
    const said = () => screen.getByRole('status').textContent;
    expect(said()).toBe(zh.shell.newYear);
    act(() => void jest.advanceTimersByTime(2999));
    expect(said()).toBe(zh.shell.newYear);
    act(() => void jest.advanceTimersByTime(1));
    expect(said()).toBe('');
    act(() => void jest.advanceTimersByTime(6999));
    expect(reload).not.toHaveBeenCalled();
    act(() => void jest.advanceTimersByTime(1));
    expect(reload).toHaveBeenCalledTimes(1);
  });

  it('does nothing after the page was left', () => {
    const reload = jest.fn();
    const { unmount } = render(<Festive now={NEW_YEAR} reload={reload} />);
    fireEvent.click(screen.getByRole('button'));
    unmount();
    act(() => void jest.advanceTimersByTime(20_000));
    expect(reload).not.toHaveBeenCalled();
  });
});
