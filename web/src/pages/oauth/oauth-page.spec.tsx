import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { refusal, success } from '../../testing/fake-fetch.js';
import { admin, person, renderPage, selfOf } from '../../testing/render-page.js';
import { texts as refusals } from '../../app/i18n/errors/zh.js';
import { texts as zh } from './zh.js';

const address = '/oauth/github?code=abc&state=xyz';

describe('the callback of a provider', () => {
  it('signs in once, with what the provider sent, and goes to the tokens', async () => {
    const { router, network } = await renderPage(address, {
      replies: { 'GET /api/oauth/github': success(person), 'GET /api/user/self': success(selfOf(person)) },
    });
    await waitFor(() => expect(router.state.location.pathname).toBe('/token'));
    const calls = network.of('GET', '/api/oauth/github');
    expect(calls).toHaveLength(1);
    expect([...(calls[0]?.query ?? [])]).toEqual([
      ['code', 'abc'],
      ['state', 'xyz'],
    ]);
    expect(JSON.parse(localStorage.getItem('user') ?? '')).toEqual(person);
  });

  it('binds the account to the signed-in user', async () => {
    const { router } = await renderPage(address, {
      user: admin,
      replies: { 'GET /api/oauth/github': success(), 'GET /api/user/self': success(selfOf(admin)) },
    });
    await waitFor(() => expect(router.state.location.pathname).toBe('/setting'));
  });

  it('sends a user without access to the settings to the personal page', async () => {
    const { router } = await renderPage(address, {
      user: person,
      replies: { 'GET /api/oauth/github': success(), 'GET /api/user/self': success(selfOf(person)) },
    });
    await waitFor(() => expect(router.state.location.pathname).toBe('/personal'));
  });

  it('sends no request when the browser does not come from a provider', async () => {
    const { network } = await renderPage('/oauth/github');
    expect(await screen.findByText(zh.nothing)).toBeTruthy();
    expect(network.of('GET', '/api/oauth/github')).toEqual([]);
  });

  it('shows why it failed, and starts again on request', async () => {
    const { network } = await renderPage(address, {
      replies: {
        'GET /api/oauth/github': refusal('Not the same', 'oauth-state-wrong'),
        'GET /api/oauth/authorize': refusal('off', 'provider-off'),
      },
    });
    expect((await screen.findByRole('alert')).textContent).toContain(refusals['oauth-state-wrong']);
    expect(screen.getByText(zh.failed)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: zh.again }));
    await waitFor(() => expect(network.of('GET', '/api/oauth/authorize')[0]?.query.get('provider')).toBe('github'));
  });
});
