import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { matchPath } from 'react-router-dom';
import { json, refusal, success } from '../testing/fake-fetch.js';
import { admin, person, renderPage, root } from '../testing/render-page.js';
import { addressOf, navRows, pages } from '../app/page-list.js';
import { loadPage } from './load-page.js';
import { texts as login } from '../pages/login/zh.js';
import { texts as tokenZh } from '../pages/token/zh.js';
import { texts as zh } from '../app/i18n/zh.js';

const flags = { enable_data_export: true, enable_drawing: true, enable_task: true };

describe('page table', () => {
  it('has every documented route', () => {
    const spec =
      '/ /setup /channel /token /playground /redemption /user /user/reset /login /register /reset /oauth/:provider /setting /personal /topup /log /detail /midjourney /task /audit /approval /journal /proof /statement /invoice /pricing /udocs/popular-models /about /chat /chat2link *';
    expect(pages.map((row) => (row.path === '/oauth/:provider' ? row.path : addressOf(row))).sort()).toEqual(
      spec.split(' ').sort(),
    );
  });

  it.each(
    '/ /setup /channel /channel/add /channel/edit/7 /token /playground /redemption /user /user/edit/7 /user/edit /user/reset /login /register /reset /oauth/github /oauth/oidc /oauth/linuxdo /setting /personal /topup /log /detail /midjourney /task /pricing /udocs/popular-models /about /chat /chat/0 /chat2link'.split(
      ' ',
    ),
  )('serves the documented route %s with its own page', (address) => {
    const row = pages.find(({ path }) => matchPath(path, address));
    expect(row).toBeDefined();
    expect(row?.path).not.toBe('*');
  });

  it('has unique ids and paths', () => {
    expect(new Set(pages.map(({ id }) => id)).size).toBe(pages.length);
    expect(new Set(pages.map(({ path }) => path)).size).toBe(pages.length);
  });

  it.each(pages.map((row) => [row.id, row] as const))('loads "%s"', async (_, row) => {
    expect(typeof (await loadPage(row))).toMatch(/function|object/);
  });

  it('offers in the menu only pages that the role and the operator allow', () => {
    for (const role of [0, 1, 10, 100]) {
      for (const row of navRows(role, flags)) {
        expect(row.minRole).toBeLessThanOrEqual(role);
      }
    }
    expect(navRows(100, {}).filter(({ nav }) => nav?.flag)).toEqual([]);
  });
});

const expired = () => json(refusal('x', 'not-signed-in', { kind: 'unauthenticated' }), 401);

describe('guard', () => {
  it.each(pages.filter(({ minRole }) => minRole > 0).map((row) => [addressOf(row)]))(
    'sends a visitor of %s to the login page',
    async (address) => {
      const { router } = await renderPage(address);
      await screen.findByRole('heading', { level: 1 });
      expect(router.state.location.pathname).toBe('/login');
      expect(router.state.location.state).toEqual({ from: address });
    },
  );

  it('explains to a user that a page is for administrators', async () => {
    await renderPage('/channel', { user: person });
    expect(await screen.findByRole('heading', { level: 1, name: zh.state.forbiddenTitle })).toBeTruthy();
  });

  it('redirects a user from the address of the own profile, and from no other of the page', async () => {
    const { router, unmount } = await renderPage('/user/edit', { user: person });
    await waitFor(() => expect(router.state.location.pathname).toBe('/personal'));
    unmount();
    await renderPage('/user/edit/7', { user: person });
    expect(await screen.findByRole('heading', { level: 1, name: zh.state.forbiddenTitle })).toBeTruthy();
  });

  it('uses the role from the server, not of the stored user', async () => {
    await renderPage('/channel', {
      user: admin,
      replies: { 'GET /api/user/self': success({ ...admin, role: 1, quota: 0, used_quota: 0, request_count: 0 }) },
    });
    expect(await screen.findByRole('heading', { level: 1, name: zh.state.forbiddenTitle })).toBeTruthy();
  });

  it('redirects to the wizard before the set-up, and away from it afterwards', async () => {
    const setup = { 'GET /api/setup': success({ status: false, root_init: false, database_type: 'postgres' }) };
    const fresh = await renderPage('/pricing', { status: { setup: false }, replies: setup });
    await screen.findByRole('heading', { level: 1, name: zh.nav.setup });
    expect(fresh.router.state.location.pathname).toBe('/setup');
    fresh.unmount();

    const { router } = await renderPage('/setup', { replies: setup });
    await screen.findByRole('heading', { level: 1, name: 'Tollgate' });
    expect(router.state.location.pathname).toBe('/');
  });

  it('redirects an expired session to the login page once, and returns afterwards', async () => {
    const { router } = await renderPage('/', { user: root, replies: { 'GET /api/user/self': expired() } });
    await screen.findByText(login.expired);
    expect(router.state.location).toMatchObject({ pathname: '/login', search: '?expired=true', state: { from: '/' } });
    expect(localStorage.getItem('user')).toBeNull();
  });

  it('keeps the login page without a return address when the stored session expired', async () => {
    const { router } = await renderPage('/login', { user: root, replies: { 'GET /api/user/self': expired() } });
    await waitFor(() => expect(localStorage.getItem('user')).toBeNull());
    expect(router.state.location).toMatchObject({ pathname: '/login', search: '', state: null });
  });

  it('fetches the role again when the server refuses an action that the page offered', async () => {
    const demoted = { ...admin, role: 1, quota: 0, used_quota: 0, request_count: 0 };
    let refused = false;
    await renderPage('/channel', {
      user: admin,
      replies: {
        'GET /api/channel/search': () => {
          refused = true;
          return refusal('refused', 'permission-denied', { kind: 'forbidden' });
        },
        'GET /api/channel/count': success({ all: 0, enabled: 0, disabled: 0, auto_disabled: 0 }),
        'GET /api/group/': success([]),
        'GET /api/user/self': () => success(refused ? demoted : { ...demoted, role: 10 }),
      },
    });
    expect(await screen.findByRole('heading', { level: 1, name: zh.state.forbiddenTitle })).toBeTruthy();
  });

  it('does not return to the page of a user who signed out', async () => {
    const { router } = await renderPage('/about', { user: person, replies: { 'GET /api/user/logout': success(null) } });
    await act(() => router.navigate('/personal'));
    await screen.findByRole('heading', { level: 1 });
    fireEvent.click(await screen.findByRole('button', { name: new RegExp(zh.nav.account) }));
    fireEvent.click(await screen.findByRole('menuitem', { name: zh.nav.logout }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
    expect(router.state.location.state).toBeNull();
  });

  it('confirms a sign-out before typed text is lost', async () => {
    const { router, network } = await renderPage('/token/add', {
      user: person,
      replies: { 'GET /api/user/logout': success(null) },
    });
    fireEvent.change(await screen.findByRole('textbox', { name: tokenZh.form.name }), { target: { value: 'mine' } });
    const signOut = async () => {
      fireEvent.click(await screen.findByRole('button', { name: new RegExp(zh.nav.account), hidden: true }));
      fireEvent.click(await screen.findByRole('menuitem', { name: zh.nav.logout }));
      return within(await screen.findByRole('alertdialog'));
    };
    fireEvent.click((await signOut()).getByRole('button', { name: zh.action.cancel }));
    expect(network.of('GET', '/api/user/logout')).toEqual([]);
    fireEvent.click((await signOut()).getByRole('button', { name: zh.action.discard }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
  });
});

describe('focus after navigation', () => {
  it('is on the heading of the page', async () => {
    const { router } = await renderPage('/about', { user: person });
    await act(() => router.navigate('/personal'));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 })));
  });

  it('stays where the page has set it', async () => {
    const { router } = await renderPage('/about');
    await act(() => router.navigate('/login'));
    await waitFor(() => expect(document.activeElement?.tagName).toBe('INPUT'));
  });
});
