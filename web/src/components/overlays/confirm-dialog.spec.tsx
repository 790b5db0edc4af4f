import { beforeAll, describe, expect, it } from '@jest/globals';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { Provider } from 'react-redux';
import type { ApiError } from '../../api/api-error.js';
import { startI18n } from '../../app/i18n/index.js';
import { texts as zh } from '../../app/i18n/zh.js';
import { createStore } from '../../app/store.js';
import { loadDictionary } from '../../shell/dictionaries.js';
import { ConfirmDialog } from './confirm-dialog.js';

beforeAll(() => startI18n(loadDictionary, 'zh'));

const refused = (path: string): ApiError => ({
  ...{ status: 200, code: 'invalid-input', kind: 'invalid', message: 'not like this' },
  fields: [{ path, code: 'invalid', params: { reason: 'not like this' } }],
});
const open = (error: unknown) => {
  const run = () => Promise.reject(error);
  const options = {
    title: 'Erase?',
    consequences: [],
    typed: 'bob',
    typedName: 'username',
    confirm: { label: 'Erase' },
  };
  render(
    <Provider store={createStore()}>
      <ConfirmDialog options={{ ...options, run }} onClose={() => undefined} />
    </Provider>,
  );
  const field = screen.getByRole('textbox');
  fireEvent.change(field, { target: { value: 'bob' } });
  fireEvent.click(screen.getByRole('button', { name: 'Erase' }));
  return field;
};

describe('the typed field of a confirmation', () => {
  it('says why the server refuses it, and is focused', async () => {
    const field = open(refused('username'));
    await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
    expect(document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent).toBe('not like this');
    await waitFor(() => expect(document.activeElement).toBe(field));
    expect(screen.queryByRole('alert')).toBeNull();
    fireEvent.change(field, { target: { value: 'bo' } });
    expect(field.getAttribute('aria-invalid')).toBeNull();
  });

  it('does not have the focus first, which is on the button that cancels', () => {
    open(refused('quota'));
    expect(document.activeElement).toBe(screen.getByRole('button', { name: zh.action.cancel }));
  });

  it('leaves every other refusal to the dialog', async () => {
    const field = open(refused('quota'));
    expect((await screen.findByRole('alert')).textContent).toContain('not like this');
    expect(field.getAttribute('aria-invalid')).toBeNull();
    expect(screen.getByRole('button', { name: zh.action.cancel })).toBeTruthy();
  });
});
