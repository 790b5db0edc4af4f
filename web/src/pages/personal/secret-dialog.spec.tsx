import { beforeAll, expect, it } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { Provider } from 'react-redux';
import { loadTexts, startI18n } from '../../app/i18n/index.js';
import { createStore } from '../../app/store.js';
import { loadDictionary } from '../../shell/dictionaries.js';
import { TokenDialog } from './token-dialog.js';
import { texts as zh } from './zh.js';

beforeAll(async () => {
  await startI18n(loadDictionary, 'zh');
  await loadTexts('personal');
});

it('says with the name of its dialog that a secret is never shown again', () => {
  render(
    <Provider store={createStore()}>
      <TokenDialog token="abc" onClose={() => undefined} />
    </Provider>,
  );
  const dialog = screen.getByRole('dialog', { name: zh.security.tokenShown });
  const described = document.getElementById(dialog.getAttribute('aria-describedby') ?? '');
  expect(described?.textContent).toBe(zh.security.tokenWarning);
});
