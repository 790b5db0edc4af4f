import { describe, expect, it, jest } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { json, refusal, success } from '../testing/fake-fetch.js';
import { renderPage } from '../testing/render-page.js';
import { texts as home } from '../pages/home/zh.js';
import { texts as zh } from '../pages/about/zh.js';

const never = (): Promise<never> => new Promise(() => undefined);
const broken = json(refusal('x', 'internal', { kind: 'internal' }), 500);

describe('the home page for which the operator has written nothing', () => {
  it('shows the system status: what runs under which licence, and which ways to sign in are enabled', async () => {
    await renderPage('/', { status: { version: '9.8.7', github_oauth: true } });
    const region = within(await screen.findByRole('region', { name: home.system.title }));
    const factsOf = (name: string) => within(region.getByRole('region', { name })).getAllByRole('definition');
    expect(factsOf(home.system.info).map(({ textContent }) => textContent)).toEqual(['Tollgate', '9.8.7', 'MIT', '—']);
    const [, github, oidc] = factsOf(home.system.config).map(({ textContent }) => textContent);
    expect([github, oidc]).toEqual([home.on, home.off]);
  });
});

describe.each([
  ['about', '/about', 'about', zh.loadFailed],
  ['home', '/', 'home_page_content', home.loadFailed],
])('the texts of the operator on the page "%s"', (_name, address, key, failed) => {
  const call = `GET /api/${key}`;

  it('are cached, and removed when the operator deletes them', async () => {
    const { unmount } = await renderPage(address, { replies: { [call]: success('Ask Ann') } });
    await screen.findByText('Ask Ann');
    expect(localStorage.getItem(key)).toBe('Ask Ann');
    unmount();
    await renderPage(address, { replies: { [call]: success('') }, stored: { [key]: 'Ask Ann' } });
    await waitFor(() => expect(localStorage.getItem(key)).toBeNull());
    expect(screen.queryByText('Ask Ann')).toBeNull();
  });

  it('are the cached ones until the server replies', async () => {
    await renderPage(address, { replies: { [call]: never }, stored: { [key]: 'Ask Ann' } });
    expect(await screen.findByText('Ask Ann')).toBeTruthy();
  });

  it('are hidden by an error, and stay cached', async () => {
    await renderPage(address, { replies: { [call]: broken }, stored: { [key]: 'Ask Ann' } });
    expect(await screen.findByText(failed)).toBeTruthy();
    expect(screen.queryByText('Ask Ann')).toBeNull();
    expect(localStorage.getItem(key)).toBe('Ask Ann');
  });

  it('may be the address of a page, which is told theme and language and nobody else is', async () => {
    await renderPage(address, { replies: { [call]: success('https://words.example/page') } });
    const frame = await waitFor(() => document.querySelector('iframe')!);
    const post = jest.spyOn(frame.contentWindow!, 'postMessage');
    fireEvent.load(frame);
    await waitFor(() =>
      expect(post.mock.calls).toEqual([
        [{ themeMode: 'light' }, 'https://words.example'],
        [{ lang: 'zh' }, 'https://words.example'],
      ]),
    );
  });
});
