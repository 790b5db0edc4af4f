import { describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { Provider } from 'react-redux';
import { createStore } from '../../app/store.js';
import { InlineNumber } from './inline-number.js';

type Save = (value: number) => Promise<unknown>;

type Props = Partial<Parameters<typeof InlineNumber>[0]>;

function open(value: number, onSave: Save, props: Props = {}) {
  const store = createStore();
  const draw = (now: number, save: Save) => (
    <Provider store={store}>
      <InlineNumber
        label="weight"
        value={now}
        min={0}
        max={1000}
        onSave={save}
        invalid="status.failed"
        tooSmall="form.required"
        tooLarge="action.ok"
        {...props}
      />
    </Provider>
  );
  const view = render(draw(value, onSave));
  const field = screen.getByLabelText<HTMLInputElement>('weight');
  const said = () => store.getState().toasts.map(({ key, severity }) => [key, severity]);
  /** How often each of them, because a message that is repeated while it is shown is counted. */
  const times = () => store.getState().toasts.map(({ count }) => count);
  return {
    field,
    said,
    times,
    /** Renders with this stored value and save function. */
    stored: (now: number, save: Save) => view.rerender(draw(now, save)),
    write: (text: string) => {
      field.focus();
      fireEvent.change(field, { target: { value: text } });
    },
    leave: () => act(async () => field.blur()),
  };
}

describe('a number edited in place', () => {
  it('is not overwritten while the user types, and is saved on condition of the value that the user saw', async () => {
    const seen = jest.fn<Save>().mockResolvedValue(undefined);
    const unseen = jest.fn<Save>().mockResolvedValue(undefined);
    const cell = open(1, seen);
    cell.write('5');
    cell.stored(7, unseen);
    expect(cell.field.value).toBe('5');
    await cell.leave();
    expect(seen).toHaveBeenCalledWith(5);
    expect(unseen).not.toHaveBeenCalled();
  });

  it('shows a new stored value while the user does not type, also with the focus', async () => {
    const save = jest.fn<Save>();
    const cell = open(1, save);
    cell.field.focus();
    cell.stored(7, save);
    expect(cell.field.value).toBe('7');
    await cell.leave();
    expect(save).not.toHaveBeenCalled();
  });

  it('shows the stored value again after Escape', () => {
    const save = jest.fn<Save>();
    const cell = open(1, save);
    cell.write('5');
    cell.stored(7, save);
    fireEvent.keyDown(cell.field, { key: 'Escape' });
    expect(cell.field.value).toBe('7');
  });

  it('saves with Enter, and keeps the focus', async () => {
    const save = jest.fn<Save>().mockResolvedValue(undefined);
    const cell = open(1, save);
    cell.write('5');
    await act(async () => fireEvent.keyDown(cell.field, { key: 'Enter' }));
    expect(save).toHaveBeenCalledWith(5);
    expect(document.activeElement).toBe(cell.field);
    await cell.leave();
    expect(save).toHaveBeenCalledTimes(1);
  });

  it('saves with Enter only once the text is composed, and leaves nothing of the key for a question that appears', async () => {
    const save = jest.fn<Save>().mockResolvedValue(undefined);
    const cell = open(1, save);
    cell.write('5');
    fireEvent.keyDown(cell.field, { key: 'Enter', isComposing: true });
    expect(save).not.toHaveBeenCalled();
    // `fireEvent` tells whether the browser would go on with the key.
    await act(async () => expect(fireEvent.keyDown(cell.field, { key: 'Enter' })).toBe(false));
    expect(save).toHaveBeenCalledTimes(1);
  });

  it('saves text typed during a save after that save', async () => {
    let done: () => void = () => undefined;
    const first = jest.fn<Save>().mockReturnValue(new Promise<void>((resolve) => (done = resolve)));
    const second = jest.fn<Save>().mockResolvedValue(undefined);
    const cell = open(1, first);
    cell.write('5');
    await cell.leave();
    cell.write('6');
    await cell.leave();
    expect(first).toHaveBeenCalledTimes(1);
    await act(async () => done());
    cell.stored(5, second);
    await waitFor(() => expect(second).toHaveBeenCalledWith(6));
    expect(cell.field.value).toBe('6');
    expect(first).toHaveBeenCalledTimes(1);
  });

  it('shows the stored value when the server refuses, not text typed later', async () => {
    let refuse: () => void = () => undefined;
    const save = jest
      .fn<Save>()
      .mockReturnValueOnce(new Promise((_, reject) => (refuse = () => reject(new Error('no')))));
    const cell = open(1, save);
    cell.write('5');
    await cell.leave();
    await act(async () => refuse());
    expect(cell.field.value).toBe('1');
  });

  it.each([
    ...['1.5', 'x', ''].map((text) => [text, 'status.failed']),
    ['-1', 'form.required'],
    ['1001', 'action.ok'],
  ] as [string, string][])('says why it does not take %p, and keeps it until Escape', async (text, reason) => {
    const save = jest.fn<Save>();
    const cell = open(1, save);
    cell.write(text);
    await cell.leave();
    expect(cell.said()).toEqual([[reason, 'error']]);
    expect(cell.field.value).toBe(text);
    fireEvent.keyDown(cell.field, { key: 'Escape' });
    expect(cell.field.value).toBe('1');
    expect(save).not.toHaveBeenCalled();
  });

  it('says once what is wrong with a text when Enter and then leaving the field would save it', async () => {
    const cell = open(1, jest.fn<Save>());
    cell.write('x');
    fireEvent.keyDown(cell.field, { key: 'Enter' });
    await cell.leave();
    expect(cell.times()).toEqual([1]);
    cell.write('y');
    await cell.leave();
    expect(cell.times()).toEqual([2]);
    expect(cell.said()).toEqual([['status.failed', 'error']]);
  });

  it('takes the least number for a smaller one, where it is told to', async () => {
    const save = jest.fn<Save>().mockResolvedValue(undefined);
    const cell = open(1, save, { clamps: true });
    cell.write('-5');
    await cell.leave();
    expect(save).toHaveBeenCalledWith(0);
    cell.stored(0, save);
    cell.write('-5');
    await cell.leave();
    expect(cell.field.value).toBe('0');
    expect(save).toHaveBeenCalledTimes(1);
    expect(cell.said()).toEqual([]);
  });
});
