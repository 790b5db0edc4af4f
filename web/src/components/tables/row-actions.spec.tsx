import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { fireEvent, render, screen } from '@testing-library/react';
import { Provider } from 'react-redux';
import { startI18n } from '../../app/i18n/index.js';
import { createStore } from '../../app/store.js';
import { loadDictionary } from '../../shell/dictionaries.js';
import { RowActions } from './row-actions.js';

beforeAll(() => startI18n(loadDictionary, 'zh'));

describe('the actions of a row', () => {
  it.each([
    ['a text', undefined],
    ['an icon', <i key="icon" />],
  ])('keep the focus while they run, and do not run twice, as %s', (_, icon) => {
    const run = jest.fn();
    const store = createStore();
    const draw = (busy: boolean) => (
      <Provider store={store}>
        <RowActions actions={[{ id: 'test', label: 'Test', icon, run, busy }]} />
      </Provider>
    );
    const { rerender } = render(draw(false));
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Test' });
    button.focus();
    fireEvent.click(button);
    rerender(draw(true));
    expect(document.activeElement).toBe(button);
    expect([button.disabled, button.getAttribute('aria-disabled'), button.getAttribute('aria-busy')]).toEqual([
      false,
      'true',
      'true',
    ]);
    fireEvent.click(button);
    expect(run).toHaveBeenCalledTimes(1);
    rerender(draw(false));
    expect(document.activeElement).toBe(button);
  });
});
