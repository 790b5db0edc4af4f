import { describe, expect, it } from '@jest/globals';
import { act, screen, waitFor } from '@testing-library/react';
import type { SessionUser } from '@tollgate/contracts/api/user';
import { success } from '../testing/fake-fetch.js';
import { admin, person, renderPage, selfOf } from '../testing/render-page.js';
import { texts as zh } from './i18n/zh.js';
import { followOtherTabs } from './other-tabs.js';

/** What another tab does to the storage all tabs share. */
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
  it('show the person who signed in last, and say so', async () => {
    const { network, end } = await open();
    await screen.findAllByText('bob');
    await elsewhere(admin);
    await waitFor(() => expect(screen.getAllByText('ann').length).toBeGreaterThan(0));
    expect(screen.queryAllByText('bob')).toEqual([]);
    expect(network.calls.at(-1)?.headers.get('New-Api-User')).toBe('2');
    expect(await screen.findByText(zh.session.switched.replace('{{name}}', 'ann'))).toBeTruthy();
    end();
  });

  it('are signed out together, and lead to the login', async () => {
    const { router, end } = await open();
    await elsewhere(null);
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
    end();
  });

  it('take no notice of the same person', async () => {
    const { network, end } = await open();
    const before = network.calls.length;
    await elsewhere({ ...person });
    expect(network.calls).toHaveLength(before);
    end();
  });
});
