import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { followOtherTabs } from '../../app/other-tabs.js';
import { json, refusal, success } from '../../testing/fake-fetch.js';
import { person, renderPage, selfOf } from '../../testing/render-page.js';
import { texts as en } from './en.js';
import { texts as zh } from './zh.js';

const name = (key: 'username' | 'password' | 'submit') => (text: string) => text === zh[key] || text === en[key];

const fill = (username: string, password: string) => {
  fireEvent.change(screen.getByLabelText(name('username')), { target: { value: username } });
  fireEvent.change(screen.getByLabelText(name('password')), { target: { value: password } });
};
const press = () => fireEvent.click(screen.getAllByRole('button', { name: name('submit') }).at(-1)!);

describe('login page', () => {
  it('signs in and goes to the tokens', async () => {
    const { router, network } = await renderPage('/login', {
      replies: {
        'POST /api/user/login': success(person),
        'GET /api/user/self': success(selfOf(person)),
      },
    });
    await screen.findByRole('heading', { level: 1, name: zh.title });
    fill('bob', 'secret-123');
    press();
    await waitFor(() => expect(router.state.location.pathname).toBe('/token'));
    expect(network.of('POST', '/api/user/login')[0]?.body).toEqual({ username: 'bob', password: 'secret-123' });
    expect(JSON.parse(localStorage.getItem('user') ?? '')).toEqual(person);
    await waitFor(() => expect(network.of('GET', '/api/user/self').at(-1)?.headers.get('New-Api-User')).toBe('3'));
  });

  it('returns to the page on which the session ended', async () => {
    const { router } = await renderPage('/personal?tab=x', {
      replies: { 'POST /api/user/login': success(person), 'GET /api/user/self': success(selfOf(person)) },
    });
    await screen.findByRole('heading', { level: 1, name: zh.title });
    fill('bob', 'secret-123');
    press();
    await waitFor(() => expect(router.state.location.pathname + router.state.location.search).toBe('/personal?tab=x'));
  });

  it.each(['//elsewhere.example/login', '/\\elsewhere.example', 'https://elsewhere.example/'])(
    'goes to the tokens where %s is what the person came from',
    async (from) => {
      const { router } = await renderPage('/', {
        replies: { 'POST /api/user/login': success(person), 'GET /api/user/self': success(selfOf(person)) },
      });
      await act(() => router.navigate('/login', { state: { from } }));
      await screen.findByRole('heading', { level: 1, name: zh.title });
      fill('bob', 'secret-123');
      press();
      await waitFor(() => expect(router.state.location.pathname).toBe('/token'));
    },
  );

  it('leaves the page when the user signs in in another tab', async () => {
    const { router, store } = await renderPage('/personal?tab=x', {
      replies: { 'GET /api/user/self': success(selfOf(person)) },
    });
    await screen.findByRole('heading', { level: 1, name: zh.title });
    const stop = followOtherTabs(store);
    localStorage.setItem('user', JSON.stringify(person));
    act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'user' })));
    stop();
    await waitFor(() => expect(router.state.location.pathname + router.state.location.search).toBe('/personal?tab=x'));
  });

  it('requires both fields before it sends a request', async () => {
    const { network } = await renderPage('/login');
    await screen.findByRole('heading', { level: 1 });
    press();
    expect(await screen.findByText(zh.missing)).toBeTruthy();
    expect(network.of('POST', '/api/user/login')).toEqual([]);
  });

  it('keeps the typed values when the server refuses, and shows the reason once', async () => {
    await renderPage('/login', {
      replies: { 'POST /api/user/login': refusal('Refused here', 'wrong-credentials') },
    });
    await screen.findByRole('heading', { level: 1 });
    fill('bob', 'wrong');
    press();
    expect(await screen.findAllByText('Refused here')).toHaveLength(1);
    expect(screen.getByLabelText<HTMLInputElement>(name('username')).value).toBe('bob');
  });

  it('shows how long to wait after too many attempts', async () => {
    await renderPage('/login', {
      language: 'en',
      replies: { 'POST /api/user/login': json(refusal('x', 'too-many-requests'), 429) },
    });
    await screen.findByRole('heading', { level: 1 });
    fill('bob', 'wrong');
    press();
    expect(await screen.findByText('Error: too many requests. Try again later.')).toBeTruthy();
  });

  it('offers the providers that are switched on, in the order of the spec', async () => {
    await renderPage('/login', {
      status: {
        wechat_login: true,
        github_oauth: true,
        oidc_enabled: true,
        oidc_authorization_endpoint: 'https://id.example/auth',
      },
    });
    await screen.findByRole('heading', { level: 1 });
    const names = screen.getAllByRole('button').map(({ textContent }) => textContent);
    expect(names.filter((name) => Object.values<string | null>(zh.provider).includes(name))).toEqual([
      zh.provider.github,
      zh.provider.oidc,
      zh.provider.wechat,
    ]);
  });

  it('accepts the code that the WeChat account sends, and opens the start page', async () => {
    const { router, network } = await renderPage('/login', {
      status: { wechat_login: true, wechat_qrcode: 'https://wx.example/qr.png' },
      replies: { 'GET /api/oauth/wechat': success(person), 'GET /api/user/self': success(selfOf(person)) },
    });
    fireEvent.click(await screen.findByRole('button', { name: zh.provider.wechat }));
    const dialog = within(await screen.findByRole('dialog', { name: zh.wechat.title }));
    dialog.getByRole('img', { name: zh.wechat.qrcode });
    fireEvent.click(dialog.getByRole('button', { name: zh.wechat.submit }));
    expect(dialog.getByText(zh.step.missing)).toBeTruthy();
    fireEvent.change(dialog.getByLabelText(zh.wechat.code), { target: { value: ' 1234 ' } });
    fireEvent.click(dialog.getByRole('button', { name: zh.wechat.submit }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/'));
    expect(network.of('GET', '/api/oauth/wechat').map(({ query }) => query.get('code'))).toEqual(['1234']);
  });
});
