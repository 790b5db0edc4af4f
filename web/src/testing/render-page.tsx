import { CssBaseline, ThemeProvider } from '@mui/material';
import { jest } from '@jest/globals';
import { act, configure, render } from '@testing-library/react';
import type { SessionUser } from '@tollgate/contracts/api/user';
import type { Status } from '@tollgate/contracts/api/status';
import i18n from 'i18next';
import { Provider } from 'react-redux';
import { RouterProvider, createMemoryRouter } from 'react-router-dom';
import { startI18n } from '../app/i18n/index.js';
import type { Language } from '../app/i18n/language.js';
import { loadDictionary } from '../shell/dictionaries.js';
import { routes } from '../shell/router.js';
import { createStore } from '../app/store.js';
import { buildTheme } from '../app/theme.js';
import type { Replies } from './fake-fetch.js';
import { fakeFetch, success } from './fake-fetch.js';

// These timeouts only end a hanging test; they are long because the machine may be busy.
jest.setTimeout(60_000);
configure({ asyncUtilTimeout: 10_000 });
/** jsdom lays nothing out, so there are no sizes to report. */
globalThis.ResizeObserver ??= class implements ResizeObserver {
  observe = (): void => undefined;
  unobserve = (): void => undefined;
  disconnect = (): void => undefined;
};

export const root: SessionUser = {
  id: 1,
  username: 'root',
  display_name: 'Root',
  role: 100,
  status: 1,
  group: 'default',
};
export const admin: SessionUser = { ...root, id: 2, username: 'ann', display_name: 'Ann', role: 10 };
export const person: SessionUser = { ...root, id: 3, username: 'bob', display_name: 'Bob', role: 1 };

export const baseStatus: Partial<Status> = {
  setup: true,
  system_name: 'Tollgate',
  quota_per_unit: 500_000,
  display_in_currency: true,
};

/** The reply of `GET /api/user/self` for a session user. */
export const selfOf = (user: SessionUser) => ({
  ...user,
  quota: 500_000,
  used_quota: 0,
  request_count: 0,
  setting: '',
});

interface RenderOptions {
  user?: SessionUser;
  status?: Partial<Status>;
  language?: Language;
  replies?: Replies;
  /** Contents of the browser's storage before the page is opened. */
  stored?: Record<string, string>;
  /** What a form of an earlier load of the page has left in the tab, by form. */
  drafts?: Record<string, unknown>;
}

/** Renders the whole console at an address, with a real store and router; only the network is faked. */
export async function renderPage(
  address: string,
  { user, status, language = 'zh', replies = {}, stored = {}, drafts }: RenderOptions = {},
) {
  localStorage.clear();
  sessionStorage.clear();
  if (user) localStorage.setItem('user', JSON.stringify(user));
  for (const [key, value] of Object.entries(stored)) localStorage.setItem(key, value);
  if (drafts) sessionStorage.setItem('draft', JSON.stringify({ user: user?.id, forms: drafts }));
  const network = fakeFetch({
    'GET /api/status': success({ ...baseStatus, ...status }),
    'GET /api/user/self': user ? success(selfOf(user)) : undefined,
    'GET /api/notice': success(''),
    'GET /api/home_page_content': success(''),
    ...replies,
  });
  globalThis.fetch = network.answer;
  window.scrollTo = () => undefined;
  if (i18n.isInitialized) await i18n.changeLanguage(language);
  else await startI18n(loadDictionary, language);

  const store = createStore();
  const router = createMemoryRouter(routes, { initialEntries: [address] });
  const view = render(
    <Provider store={store}>
      <ThemeProvider theme={buildTheme(language)} noSsr>
        <CssBaseline />
        <RouterProvider router={router} />
      </ThemeProvider>
    </Provider>,
  );
  await act(async () => undefined);
  return { ...view, store, router, network };
}
