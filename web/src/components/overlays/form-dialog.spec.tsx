import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { Provider } from 'react-redux';
import { startI18n } from '../../app/i18n/index.js';
import { texts as zh } from '../../app/i18n/zh.js';
import { createStore } from '../../app/store.js';
import { loadDictionary } from '../../shell/dictionaries.js';
import { Field } from '../forms/field.js';
import { FormDialog } from './form-dialog.js';

const closed = jest.fn();
const field = (label: string): HTMLElement => screen.getByLabelText(label);
const type = (label: string): void => void fireEvent.change(field(label), { target: { value: 'typed' } });
const escape = (label: string): void => void fireEvent.keyDown(field(label), { key: 'Escape' });
const press = (name: string): void => void fireEvent.click(screen.getByRole('button', { name }));

describe('a dialog with a form', () => {
  beforeEach(async () => {
    await startI18n(loadDictionary, 'zh');
    closed.mockReset();
    render(
      <Provider store={createStore()}>
        <FormDialog title="title" submitLabel="send" onSubmit={() => undefined} onClose={closed}>
          <Field label="note" />
          <Field label="password" type="password" />
          <Field label="code" autoComplete="one-time-code" />
        </FormDialog>
      </Provider>,
    );
  });

  it('closes at once when nothing was typed, or only what costs nothing to type again', () => {
    escape('note');
    expect(closed).toHaveBeenCalledTimes(1);
    type('password');
    type('code');
    escape('code');
    expect(closed).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['a key', () => escape('note')],
    ['a button', () => press(zh.action.cancel)],
  ])('asks before typed text is lost by %s, and keeps it when told to', async (_, leave) => {
    type('note');
    leave();
    const question = await screen.findByRole('alertdialog', { name: zh.form.discardTitle });
    expect(closed).not.toHaveBeenCalled();
    fireEvent.keyDown(question, { key: 'Escape' });
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    expect(closed).not.toHaveBeenCalled();
    expect((field('note') as HTMLInputElement).value).toBe('typed');
    leave();
    await screen.findByRole('alertdialog', { name: zh.form.discardTitle });
    press(zh.action.discard);
    await waitFor(() => expect(closed).toHaveBeenCalledTimes(1));
  });
});
