import { beforeAll, expect, it } from '@jest/globals';
import { act, fireEvent, screen, within } from '@testing-library/react';
import { startI18n } from '../app/i18n/index.js';
import { texts as zh } from '../app/i18n/zh.js';
import { texts as personal } from '../pages/personal/zh.js';
import { texts as pricing } from '../pages/pricing/zh.js';
import { success } from '../testing/fake-fetch.js';
import { person, renderPage, selfOf } from '../testing/render-page.js';
import { loadDictionary } from './dictionaries.js';

let isAway = false;

/** Texts shared with the login page are in its dictionary. */
beforeAll(() =>
  startI18n(async (language, namespace) => {
    if (namespace === 'login' || (isAway && namespace === 'pricing'))
      throw new TypeError('Failed to fetch dynamically imported module');
    return loadDictionary(language, namespace);
  }, 'zh'),
);

it('a page loads once the network is back', async () => {
  const { router } = await renderPage('/about', { replies: { 'GET /api/about': success('words') } });
  isAway = true;
  await act(() => router.navigate('/pricing'));
  expect(await screen.findByText(zh.state.missingTitle)).toBeTruthy();
  isAway = false;
  fireEvent.click(screen.getByRole('button', { name: zh.action.retry }));
  expect(await screen.findByRole('heading', { name: pricing.title })).toBeTruthy();
});

it('the registration page reports that it did not load when the texts of sign-in methods are missing', async () => {
  await renderPage('/register', { status: { github_oauth: true, wechat_login: true } });
  expect(await screen.findByText(zh.state.missingTitle)).toBeTruthy();
  expect(screen.queryByText(/provider\./)).toBeNull();
});

it('the account page reports a missing part instead of keys when the WeChat dialog has no texts', async () => {
  await renderPage('/personal', {
    user: person,
    status: { wechat_login: true },
    replies: {
      'GET /api/user/self': success({ ...selfOf(person), email: '', wechat_id: '' }),
      'GET /api/user/aff': success('AbC1'),
      'GET /api/user/models': success([]),
      'GET /api/user/self/2fa': success({ totp: false, passkeys: 0, recovery_codes: 0, required: false }),
      'GET /api/user/self/passkey': success([]),
      'GET /api/delivery/self': success({ items: [], total: 0, page: 1, page_size: 10 }),
    },
  });
  const bindings = within(await screen.findByRole('region', { name: personal.binding.title }));
  const name = `${personal.binding.bind} ${personal.binding.wechat}`;
  fireEvent.click(await bindings.findByRole('button', { name }));
  expect(await screen.findByText(zh.state.missingPart)).toBeTruthy();
  expect(screen.queryByRole('dialog')).toBeNull();
});
