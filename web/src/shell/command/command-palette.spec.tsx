import { beforeEach, describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { admin, person, renderPage, root } from '../../testing/render-page.js';
import { texts as settings } from '../../pages/setting/zh.js';
import { refusal, success } from '../../testing/fake-fetch.js';
import { signedOut } from '../../app/slices/session.js';
import { texts as shell } from '../../app/i18n/zh.js';
import { texts as zh } from './zh.js';

const channel = { id: 12, name: 'openai-main', type: 1, status: 1 };
const replies = {
  'GET /api/channel/search': success([channel], { total: 1 }),
  'GET /api/user/search': refusal('no', 'failed'),
  'GET /api/token/search': success([]),
  'GET /api/option/': success([]),
};

async function openPalette(): Promise<HTMLElement> {
  fireEvent.keyDown(window, { key: 'k', ctrlKey: true });
  return within(await screen.findByRole('dialog', { name: zh.title }, PATIENCE)).getByRole('combobox');
}
/** The palette is loaded when it is first opened. */
const PATIENCE = { timeout: 10_000 };
const type = (box: HTMLElement, value: string): void => void fireEvent.change(box, { target: { value } });

const stored = (user: number, entries: object[]) => ({ 'recent-commands': JSON.stringify({ user, entries }) });

describe('the command palette', () => {
  beforeEach(() => localStorage.clear());

  it('opens a page by part of its name and remembers it', async () => {
    const { router } = await renderPage('/', { user: root, replies });
    const box = await openPalette();
    type(box, 'about');
    await screen.findByRole('option', { name: /\/about/ });
    fireEvent.keyDown(box, { key: 'Enter' });
    await waitFor(() => expect(router.state.location.pathname).toBe('/about'));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await openPalette();
    expect(await screen.findByText(zh.group.recent)).toBeTruthy();
    expect(screen.getByRole('option', { name: shell.nav.about })).toBeTruthy();
  });

  it('shows recent pages in the current language', async () => {
    const request = '0f9619ff-8b86-d011-b42d-00cf4fc964ff';
    const recent = [
      { id: 'page:about', name: 'About', to: '/about' },
      { id: `request:${request}`, name: `View request ${request}`, to: `/log?request_id=${request}` },
      { id: 'channel:12', name: 'openai-main', to: '/channel/edit/12' },
    ];
    await renderPage('/', { user: root, replies, stored: stored(root.id, recent) });
    await openPalette();
    const options = (await screen.findAllByRole('option')).map(({ textContent }) => textContent);
    expect(options).toEqual([shell.nav.about, zh.request.replace('{{id}}', request), 'openai-main']);
  });

  it('shows nobody what another user chose last', async () => {
    const recent = [{ id: 'user:9', name: 'carol', to: '/user/edit/9' }];
    await renderPage('/', { user: person, replies, stored: stored(root.id, recent) });
    await openPalette();
    expect(screen.queryByText('carol')).toBeNull();
  });

  it('forgets what was chosen last when its user signs out', async () => {
    const recent = [{ id: 'user:9', name: 'carol', to: '/user/edit/9' }];
    const { store } = await renderPage('/', { user: root, replies, stored: stored(root.id, recent) });
    act(() => void store.dispatch(signedOut()));
    expect(JSON.stringify({ ...localStorage })).not.toContain('carol');
  });

  it.each([
    ['a super administrator', root],
    ['an administrator, who may read it', admin],
  ])('finds an option by its key for %s', async (_, user) => {
    const { router } = await renderPage('/', { user, replies });
    type(await openPalette(), 'RetryTimes');
    fireEvent.click(await screen.findByRole('option', { name: new RegExp(settings.label.RetryTimes) }));
    await waitFor(() => expect(router.state.location.search).toContain('key=RetryTimes'));
  });

  it('shows results when another source fails', async () => {
    await renderPage('/', { user: root, replies });
    type(await openPalette(), 'openai');
    expect(await screen.findByRole('option', { name: /openai-main/ })).toBeTruthy();
    expect(await screen.findByText(zh.failed)).toBeTruthy();
  });

  it('sends no requests that the role may not make', async () => {
    const { network } = await renderPage('/', { user: person, replies });
    type(await openPalette(), 'openai');
    await waitFor(() => expect(network.calls.some(({ path }) => path === '/api/token/search')).toBe(true));
    expect(network.calls.filter(({ path }) => /channel|user\/search|option/.test(path))).toEqual([]);
  });

  it('is not available to visitors', async () => {
    await renderPage('/', { replies });
    fireEvent.keyDown(window, { key: 'k', ctrlKey: true });
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('lists its keys on a question mark, but not while the user types', async () => {
    await renderPage('/', { user: root, replies });
    const box = await openPalette();
    fireEvent.keyDown(box, { key: '?' });
    expect(screen.queryByText(zh.keys.title)).toBeNull();
    fireEvent.keyDown(box, { key: 'Escape' });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    fireEvent.keyDown(document.body, { key: '?' });
    expect(await screen.findByRole('dialog', { name: zh.keys.title })).toBeTruthy();
  });
});
