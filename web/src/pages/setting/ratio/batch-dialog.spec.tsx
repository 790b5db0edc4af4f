import { beforeAll, describe, expect, it } from '@jest/globals';
import { fireEvent, render, screen } from '@testing-library/react';
import { Provider } from 'react-redux';
import { RouterProvider, createMemoryRouter } from 'react-router-dom';
import { loadTexts, startI18n } from '../../../app/i18n/index.js';
import { createStore } from '../../../app/store.js';
import { loadDictionary } from '../../../shell/dictionaries.js';
import { BatchDialog } from './batch-dialog.js';
import { texts as setting } from '../zh.js';

beforeAll(async () => {
  await startI18n(loadDictionary, 'zh');
  await loadTexts('setting');
});

describe('the dialog that fills many prices', () => {
  it('says what is wrong at the field, and leads there', () => {
    const dialog = <BatchDialog count={2} onClose={() => undefined} onFill={() => undefined} />;
    render(
      <Provider store={createStore()}>
        <RouterProvider router={createMemoryRouter([{ path: '/', element: dialog }])} />
      </Provider>,
    );
    const send = () =>
      fireEvent.click(screen.getByRole('button', { name: setting.batch.action.replace('{{count}}', '2') }));
    const said = (label: string) => {
      const field = screen.getByRole('textbox', { name: label });
      const isWrong = field.getAttribute('aria-invalid') === 'true' && document.activeElement === field;
      return isWrong ? document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent : undefined;
    };
    send();
    expect(said(setting.batch.value)).toBe(setting.batch.missing);
    fireEvent.change(screen.getByLabelText(setting.batch.value), { target: { value: 'x' } });
    expect(said(setting.batch.value)).toBeUndefined();
    send();
    expect(said(setting.batch.value)).toBe(setting.batch.number);
    fireEvent.click(screen.getByRole('radio', { name: setting.batch.modes.both }));
    fireEvent.change(screen.getByRole('textbox', { name: setting.ratio.field.ratio }), {
      target: { value: '2' },
    });
    send();
    expect(said(setting.ratio.field.completion)).toBe(setting.batch.both);
    // Announced also when the focus is there already.
    expect(screen.getByRole('alert').textContent).toBe(setting.batch.both);
  });
});
