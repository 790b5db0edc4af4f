import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { success } from '../../testing/fake-fetch.js';
import { person, renderPage } from '../../testing/render-page.js';
import { texts as zh } from '../../app/i18n/zh.js';
import { texts as en } from '../../app/i18n/en.js';

const KEY = 'abcdef';
const chats: Record<string, string>[] = [
  { Web: 'https://chat.example/?k={key}&u={address}' },
  { App: 'ama://set?key={key}' },
  { Bad: 'nothing' },
];
const status = {
  server_address: 'https://tollgate.example',
  chats,
};
const tokenRow = (id: number, state: number) => ({ id, name: `token ${id}`, status: state, key: '***' });
const tokens = (...rows: unknown[]) => ({
  'GET /api/token/': success(rows),
  'GET /api/token/7': success({ ...tokenRow(7, 1), key: KEY }),
});
const some = tokens(tokenRow(5, 2), tokenRow(7, 1), tokenRow(8, 1));

const agree = async () => fireEvent.click(await screen.findByRole('button', { name: zh.chat.agree }));

describe('a chat page', () => {
  it('passes the key on only after the user has seen to which site it goes', async () => {
    const { network } = await renderPage('/chat/0', { user: person, status, replies: some });
    await screen.findByText(/chat\.example/);
    await screen.findByText(/token 7/);
    expect(document.querySelector('iframe')).toBeNull();
    expect(network.of('GET', '/api/token/7')).toEqual([]);
    expect(network.of('GET', '/api/token/')[0]?.query.get('size')).toBe('100');
    await agree();
    await waitFor(() =>
      expect(document.querySelector('iframe')?.getAttribute('src')).toBe(
        `https://chat.example/?k=sk-${KEY}&u=https%3A%2F%2Ftollgate.example`,
      ),
    );
  });

  it('marks texts of the operator and the user as being in an unknown language', async () => {
    const own = { ...status, chats: [{ [zh.nav.chat]: 'https://chat.example/?k={key}' }] };
    await renderPage('/chat/0', { user: person, status: own, replies: some, language: 'en' });
    const heading = await screen.findByRole('heading', {
      level: 1,
      name: new RegExp(`^Open “\\s*${zh.nav.chat}\\s*”$`),
    });
    expect(heading.querySelector('[lang=""]')?.textContent).toBe(zh.nav.chat);
    expect(screen.getByText('token 7').lang).toBe('');
    fireEvent.click(screen.getByRole('button', { name: en.chat.agree }));
    const frame = await screen.findByTitle(zh.nav.chat);
    expect(frame.getAttribute('lang')).toBe('');
  });

  it('stores the consent per user and link', async () => {
    await renderPage('/chat/0', { user: person, status, replies: some });
    await agree();
    await waitFor(() => expect(document.querySelector('iframe')).not.toBeNull());
    const kept = JSON.parse(localStorage.getItem('chat-consent') ?? '{}') as Record<string, string[]>;
    expect(kept).toEqual({ [person.id]: [chats[0]?.['Web']] });
  });

  it('opens links with the scheme of an app outside of the frame', async () => {
    await renderPage('/chat/1', { user: person, status, replies: some });
    await screen.findByText(/ama:/);
    await agree();
    const link = await screen.findByRole('link', { name: /App/ });
    expect(link.getAttribute('href')).toBe(`ama://set?key=sk-${KEY}`);
    expect(document.querySelector('iframe')).toBeNull();
  });

  it.each([
    ['/chat/2', status, zh.chat.broken],
    ['/chat/9', status, zh.chat.broken],
    ['/chat/x', status, zh.chat.broken],
    ['/chat', { chats: [] }, zh.chat.unset],
  ])('says at %s what is wrong with the links', async (address, with_, words) => {
    await renderPage(address, { user: person, status: with_, replies: some });
    expect(await screen.findByRole('heading', { level: 1, name: words })).toBeTruthy();
  });

  it('sends users without an enabled token to the list of tokens, with an explanation', async () => {
    const { router } = await renderPage('/chat/0', { user: person, status, replies: tokens(tokenRow(5, 2)) });
    expect((await screen.findAllByText(zh.chat.noToken)).length).toBeGreaterThan(0);
    await waitFor(() => expect(router.state.location.pathname).toBe('/token'));
  });

  it('asks a visitor to sign in, and returns afterwards', async () => {
    await renderPage('/chat/0', { status, language: 'en' });
    expect(await screen.findByRole('heading', { level: 1, name: en.chat.signIn })).toBeTruthy();
  });
});

describe('the link page', () => {
  it('confirms too, and names the program of the old link', async () => {
    const old = { ...status, chat_link: 'https://old.example' };
    await renderPage('/chat2link', { user: person, status: old, replies: some });
    expect(await screen.findByRole('heading', { level: 1, name: /old\.example/ })).toBeTruthy();
    await screen.findByRole('button', { name: zh.chat.agree });
  });

  it('says that nothing is set', async () => {
    await renderPage('/chat2link', { user: person, status: { chats: [] }, replies: some });
    expect(await screen.findByRole('heading', { level: 1, name: zh.chat.unset })).toBeTruthy();
  });
});

describe('the side bar', () => {
  it('lists the chat programs below one item', async () => {
    await renderPage('/personal', { user: person, status, replies: some });
    const item = await screen.findByRole('button', { name: zh.nav.chat });
    expect(item.getAttribute('aria-expanded')).toBe('false');
    fireEvent.click(item);
    expect(screen.getByRole('link', { name: 'App' }).getAttribute('href')).toBe('/chat/1');
  });

  it('reports once that the setting of the chats is invalid', async () => {
    await renderPage('/personal', { user: person, status: { chats: 'text' as never }, replies: some });
    expect((await screen.findAllByText(zh.chat.unreadable)).length).toBe(1);
  });
});
