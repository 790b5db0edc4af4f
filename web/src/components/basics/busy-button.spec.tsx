import { describe, expect, it, jest } from '@jest/globals';
import { fireEvent, render, screen } from '@testing-library/react';
import { BusyButton } from './busy-button.js';

function open(busyText?: string) {
  const press = jest.fn();
  const submit = jest.fn((event: { preventDefault: () => void }) => event.preventDefault());
  const draw = (busy: boolean) => (
    <form onSubmit={submit}>
      <BusyButton type="submit" busy={busy} busyText={busyText} onClick={press}>
        Save
      </BusyButton>
    </form>
  );
  const view = render(draw(false));
  const button = screen.getByRole<HTMLButtonElement>('button');
  return { press, submit, button, setBusy: (busy: boolean) => view.rerender(draw(busy)) };
}

describe('a button whose action runs', () => {
  it('keeps the focus, and has no effect until the action has ended', () => {
    const { press, submit, button, setBusy } = open();
    button.focus();
    setBusy(true);
    expect(screen.getByRole('button', { name: 'Save' })).toBe(button);
    expect([button.disabled, button.getAttribute('aria-disabled'), button.getAttribute('aria-busy')]).toEqual([
      false,
      'true',
      'true',
    ]);
    expect(document.activeElement).toBe(button);
    fireEvent.click(button);
    expect(press).not.toHaveBeenCalled();
    expect(submit).not.toHaveBeenCalled();
    setBusy(false);
    expect(document.activeElement).toBe(button);
    fireEvent.click(button);
    expect(press).toHaveBeenCalledTimes(1);
    expect(submit).toHaveBeenCalledTimes(1);
  });

  it('may say what it is doing', () => {
    const { button, setBusy } = open('Saving');
    setBusy(true);
    expect(button.textContent).toBe('Saving');
  });
});
