import { beforeAll, expect, it } from '@jest/globals';
import { act, render, screen } from '@testing-library/react';
import { Provider } from 'react-redux';
import { MemoryRouter } from 'react-router-dom';
import { loadTexts, startI18n, switchLanguage } from '../app/i18n/index.js';
import { runJob, stepCall } from '../app/run-job.js';
import { createStore } from '../app/store.js';
import { loadDictionary } from './dictionaries.js';
import { texts as en } from '../pages/token/en.js';
import { texts as zh } from '../pages/token/zh.js';
import { texts as shellEn } from '../app/i18n/en.js';
import { texts as shellZh } from '../app/i18n/zh.js';
import { ProgressDrawer } from '../components/feedback/progress-drawer.js';

beforeAll(async () => {
  await startI18n(loadDictionary, 'zh');
  await loadTexts('token');
});

it('says results of a job in the language that is chosen now', async () => {
  const store = createStore();
  const calls = [
    stepCall({ name: 'one', run: async () => ({ key: 'token:job.created' }) }),
    stepCall({ name: 'two', run: async () => Promise.reject({ status: 500, message: 'HTTP 500' }) }),
  ];
  await store.dispatch(runJob({ titleKey: 'token:job.title', calls }));
  render(
    <Provider store={store}>
      <MemoryRouter>
        <ProgressDrawer />
      </MemoryRouter>
    </Provider>,
  );
  for (const text of [zh.job.title, zh.job.created, shellZh.errors.http500])
    expect(screen.getByText(text)).toBeTruthy();
  await act(() => switchLanguage('en'));
  for (const text of [en.job.title, en.job.created, shellEn.errors.http500])
    expect(screen.getByText(text)).toBeTruthy();
});
