import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import type { SessionUser } from '@tollgate/contracts/api/user';
import { success } from '../testing/fake-fetch.js';
import { admin, person, renderPage, selfOf } from '../testing/render-page.js';
import { sessionExpired, sessionRefused } from '../api/events.js';
import { storeDraft } from './drafts.js';
import { texts as personal } from '../pages/personal/zh.js';
import { texts as zh } from './i18n/zh.js';
import { followOtherTabs } from './other-tabs.js';
import { signedIn, signedOut } from './slices/session.js';
import { createStore } from './store.js';

/** Writes to the storage that all tabs share, as another tab would. */
const elsewhere = (user: SessionUser | null) =>
  act(async () => {
    if (user) localStorage.setItem('user', JSON.stringify(user));
    else localStorage.removeItem('user');
    window.dispatchEvent(new StorageEvent('storage', { key: 'user' }));
  });

const open = async () => {
  const view = await renderPage('/personal', {
    user: person,
    replies: {
      'GET /api/user/self': ({ headers }: { headers: Headers }) =>
        success(selfOf(headers.get('New-Api-User') === '2' ? admin : person)),
      'GET /api/user/aff': success('abcd'),
      'GET /api/user/models': success([]),
    },
  });
  const end = followOtherTabs(view.store);
  return { ...view, end };
};

describe('two tabs of one browser', () => {
  it('show the user who signed in last, with a notice', async () => {
    const { network, end } = await open();
    await screen.findAllByText('bob');
    await elsewhere(admin);
    await waitFor(() => expect(screen.getAllByText('ann').length).toBeGreaterThan(0));
    expect(screen.queryAllByText('bob')).toEqual([]);
    expect(network.calls.at(-1)?.headers.get('New-Api-User')).toBe('2');
    expect(await screen.findByText(zh.session.switched.replace('{{name}}', 'ann'))).toBeTruthy();
    end();
  });

  it('are signed out together, and show the login page', async () => {
    const { router, end } = await open();
    await elsewhere(null);
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
    end();
  });

  describe('with typed text in one of them', () => {
    const draft = () => sessionStorage.getItem('draft');
    const openTyped = async () => {
      const view = await open();
      fireEvent.change(await screen.findByLabelText(personal.profile.displayName), { target: { value: 'Robert' } });
      // An older draft, of another page.
      storeDraft(person.id, '/token/add#form', { typed: { name: 'mine' }, seen: {} });
      return view;
    };

    /** Dispatches in a tab of its own. `sessionStorage` belongs to a tab, so the drafts of this one are put back afterwards. */
    const elsewhereBy = async (...actions: Parameters<ReturnType<typeof createStore>['dispatch']>[0][]) => {
      const [typed, store] = [draft() ?? '', createStore()];
      for (const action of actions) await act(async () => void store.dispatch(action));
      sessionStorage.setItem('draft', typed);
    };

    it('discard it when its user signs out in the other tab', async () => {
      const { router, end } = await openTyped();
      await elsewhereBy(signedOut());
      await elsewhere(null);
      await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
      expect(draft()).toBeNull();
      end();
    });

    it('discard it when the sign-out is only noticed by a refused call', async () => {
      const { router, store, end } = await openTyped();
      await elsewhereBy(signedOut());
      act(() => void store.dispatch(sessionRefused({ sentAs: person.id })));
      await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
      expect(draft()).toBeNull();
      end();
    });

    it.each([
      ['and nobody signed in since', []],
      ['and signed in again', [signedIn(person)]],
    ])('discard it when the tab was on another site while its user signed out, %s', async (_, since) => {
      const { end } = await openTyped();
      await elsewhereBy(signedOut(), ...since);
      // The tab comes back to the console.
      createStore();
      expect(draft()).toBeNull();
      end();
    });

    it('keep it when the tab was on another site while nobody signed out', async () => {
      const { end } = await openTyped();
      await elsewhereBy(sessionExpired(), signedIn(person));
      createStore();
      expect(draft()).toContain('/token/add#form');
      end();
    });

    it('keep what was typed after an earlier sign-out', async () => {
      const { end } = await openTyped();
      await elsewhereBy(signedOut(), signedIn(person));
      const before = Date.now();
      await waitFor(() => expect(Date.now()).toBeGreaterThan(before));
      storeDraft(person.id, '/token/add#form', { typed: { name: 'anew' }, seen: {} });
      createStore();
      expect(draft()).toContain('anew');
      end();
    });

    it('discard it when the page with it is shown again as it was before the sign-out', async () => {
      const { router, end } = await openTyped();
      await elsewhereBy(signedOut());
      await act(async () => {
        window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
      });
      await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
      expect(draft()).toBeNull();
      end();
    });

    it('keep it when the session expired, also after an earlier sign-out', async () => {
      const { router, end } = await openTyped();
      await elsewhereBy(signedOut(), signedIn(person), sessionExpired());
      await elsewhere(null);
      await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
      expect(draft()).toContain('Robert');
      end();
    });
  });

  it('show no notice for the same user', async () => {
    const { network, end } = await open();
    // The page itself asks for its user, too, so the calls are counted once it is there.
    await screen.findByLabelText(personal.profile.displayName);
    const before = network.of('GET', '/api/user/self').length;
    await elsewhere({ ...person });
    expect(network.of('GET', '/api/user/self')).toHaveLength(before);
    end();
  });
});
