import { describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { Call } from '../../testing/fake-fetch.js';
import { json, listed, refusal, success } from '../../testing/fake-fetch.js';
import { printStyle } from '../../app/print-style.js';
import { narrowWindow, shrinkingWindow } from '../../testing/narrow-window.js';
import { person, renderPage } from '../../testing/render-page.js';
import { texts as shell } from '../../app/i18n/zh.js';
import { selectJobs } from '../../app/slices/jobs.js';
import { texts as zh } from './zh.js';
import { token } from '../../testing/token-replies.js';

describe('token page', () => {
  it('lists tokens without their keys, paged by the server', async () => {
    const { network, router } = await renderPage('/token', {
      user: person,
      replies: {
        'GET /api/token/': listed(
          Array.from({ length: 10 }, (_, index) => token(index + 1)),
          27,
        ),
      },
    });
    const table = await screen.findByRole('table', { name: zh.title });
    expect(within(table).getAllByRole('row')).toHaveLength(11);
    expect(document.body.textContent).toContain('1 - 10');
    expect(document.body.textContent).not.toContain('abc***xyz');
    fireEvent.click(screen.getByRole('button', { name: shell.table.next }));
    await waitFor(() => expect(router.state.location.search).toBe('?p=2'));
    await waitFor(() => expect(network.of('GET', '/api/token/').at(-1)?.query.get('p')).toBe('1'));
  });

  it('names the group of every token, the own one of its user without another', async () => {
    const rows = listed([token(1), token(2, { group: 'vip' })]);
    await renderPage('/token', { user: person, replies: { 'GET /api/token/': rows } });
    const textOf = async (name: RegExp) => (await screen.findByRole('row', { name })).textContent;
    expect(await textOf(/token-1/)).toContain(shell.group.ownShort);
    expect(await textOf(/token-2/)).toContain('vip');
    expect(await textOf(/token-2/)).not.toContain(shell.group.ownShort);
  });

  it.each([
    ['is not here yet', () => new Promise(() => undefined), true],
    ['could not be loaded', () => refusal('x', 'internal'), false],
  ] as const)('names the rows that are shown while the next page %s', async (_, second, fetching) => {
    const first = listed(
      Array.from({ length: 10 }, (__, index) => token(index + 1)),
      27,
    );
    await renderPage('/token', {
      user: person,
      replies: { 'GET /api/token/': ({ query }: Call) => (query.get('p') === '0' ? first.clone() : second()) },
    });
    await screen.findByText('token-10');
    fireEvent.click(screen.getByRole('button', { name: shell.table.next }));
    if (fetching) await waitFor(() => expect(document.querySelector('[aria-busy="true"]')).toBeTruthy());
    else await screen.findByRole('alert');
    const paging = screen.getByRole('navigation', { name: shell.table.paging });
    expect(within(paging).getByText('2')).toBeTruthy();
    expect(within(paging).getByRole('status').textContent).toContain('1 - 10');
    expect(screen.getByText('token-10')).toBeTruthy();
  });

  it('opens a chat program in this tab when the browser blocks a new one', async () => {
    jest.spyOn(window, 'open').mockReturnValue(null);
    const replies = {
      'GET /api/token/': listed([token(1)]),
      'GET /api/token/1': success({ ...token(1), key: 'whole' }),
    };
    // An address that differs from that of the test in its fragment only, because jsdom loads no pages.
    const chats = [{ Web: `${window.location.href.split('#')[0]}#{key}` }];
    await renderPage('/token', { user: person, status: { chats }, replies });
    fireEvent.click(await screen.findByRole('button', { name: new RegExp(shell.action.more) }));
    fireEvent.click(await screen.findByRole('menuitem', { name: /Web/ }));
    await waitFor(() => expect(window.location.hash).toBe('#sk-whole'));
    window.location.hash = '';
  });

  it('shows what a small window leaves out in the expanded row, also by keyboard', async () => {
    const widen = narrowWindow(/^screen and \(max-width: (9\d\d|1\d{3})/);
    try {
      const replies = { 'GET /api/token/': listed([token(1, { used_quota: 1_250_000 })]) };
      await renderPage('/token', { user: person, replies });
      const table = await screen.findByRole('table', { name: zh.title });
      const heads = within(table)
        .getAllByRole('columnheader')
        .map(({ textContent }) => textContent);
      expect(heads).toContain(zh.column.remaining);
      expect(heads).not.toContain(zh.column.used);
      expect(table.textContent).not.toContain('$2.50');
      const row = within(table).getByText('token-1').closest('tr')!;
      act(() => row.focus());
      fireEvent.keyDown(row, { key: 'ArrowRight' });
      const told = within(table).getAllByRole('term');
      expect(told.map(({ textContent }) => textContent)).toEqual([
        zh.column.used,
        zh.column.created,
        zh.column.expires,
      ]);
      expect(table.textContent).toContain('$2.50');
    } finally {
      widen();
    }
  });

  it('applies a filter that was typed when the window shrinks, and keeps it in the sheet', async () => {
    const size = shrinkingWindow();
    try {
      const { router } = await renderPage('/token', {
        user: person,
        replies: { 'GET /api/token/': listed([token(1)]), 'GET /api/token/search': listed([token(1)]) },
      });
      fireEvent.change(await screen.findByLabelText(zh.search.keyword), { target: { value: 'token-1' } });
      act(() => size.narrow());
      await waitFor(() => expect(screen.queryByRole('table')).toBeNull());
      await waitFor(() => expect(router.state.location.search).toContain('keyword=token-1'));
      fireEvent.click(screen.getByRole('button', { name: new RegExp(`^${shell.table.filters}`) }));
      const inSheet = await screen.findByLabelText<HTMLInputElement>(zh.search.keyword);
      expect(inSheet.value).toBe('token-1');
      fireEvent.change(inSheet, { target: { value: 'token-2' } });
      act(() => size.widen());
      await waitFor(() => expect(router.state.location.search).toContain('keyword=token-2'));
      act(() => size.narrow());
      await waitFor(() => expect(screen.queryByRole('table')).toBeNull());
      expect(screen.queryByRole('dialog')).toBeNull();
    } finally {
      size.restore();
    }
  });

  it('prints no bar of what can be done with selected rows', async () => {
    await renderPage('/token', { user: person, replies: { 'GET /api/token/': listed([token(1)]) } });
    fireEvent.click(await screen.findByRole('checkbox', { name: /token-/ }));
    const rules = Object.entries(printStyle['@media print']);
    const hidden = rules.flatMap(([selectors, rule]) =>
      'display' in rule && /none/.test(rule.display ?? '') ? selectors : [],
    );
    expect(screen.getByRole('toolbar').matches(hidden.join(', '))).toBe(true);
    expect(screen.getByRole('table').matches(hidden.join(', '))).toBe(false);
  });

  it('shows what is selected on cards too, and none of them lies under what can be done with it', async () => {
    await renderPage('/token', { user: person, replies: { 'GET /api/token/': listed([token(1), token(2)]) } });
    const boxes = () => screen.findAllByRole<HTMLInputElement>('checkbox', { name: /token-/ });
    fireEvent.click((await boxes())[0]!);
    expect(getComputedStyle(screen.getByRole('toolbar')).position).toBe('absolute');
    const widen = narrowWindow();
    try {
      fireEvent.click((await boxes())[1]!);
      await waitFor(() => expect(screen.queryByRole('table')).toBeNull());
      expect((await boxes()).map(({ checked }) => checked)).toEqual([true, true]);
      expect(getComputedStyle(screen.getByRole('toolbar')).position).not.toBe('absolute');
      fireEvent.click(screen.getByRole('button', { name: shell.action.select }));
      expect(screen.queryByRole('toolbar')).toBeNull();
      expect(screen.queryAllByRole('checkbox')).toEqual([]);
    } finally {
      widen();
    }
  });

  it('searches by the address and names the filter when nothing matches', async () => {
    const { network } = await renderPage('/token?keyword=zzz', {
      user: person,
      replies: { 'GET /api/token/search': listed([]) },
    });
    expect(await screen.findByText((text) => text.includes('zzz') && text.length > 12)).toBeTruthy();
    expect(network.of('GET', '/api/token/search')[0]?.query.get('keyword')).toBe('zzz');
  });

  it('shows a key without keeping it in the store', async () => {
    const { store } = await renderPage('/token', {
      user: person,
      replies: {
        'GET /api/token/': listed([token(1)]),
        'GET /api/token/1': success(token(1, { key: 'whole-secret-key' })),
      },
    });
    const row = await screen.findByRole('row', { name: /token-1/ });
    fireEvent.click(row.querySelector('[aria-haspopup="menu"]') as HTMLElement);
    fireEvent.click(await screen.findByRole('menuitem', { name: shell.action.view }));
    const dialog = within(await screen.findByRole('dialog'));
    fireEvent.click(dialog.getByRole('button', { name: shell.action.view }));
    expect(await dialog.findByText('sk-whole-secret-key')).toBeTruthy();
    await waitFor(() => expect(JSON.stringify(store.getState())).not.toContain('whole-secret-key'));
  });

  it('copies the keys of the selected tokens once, however often the button is pressed', async () => {
    const written: string[] = [];
    const { clipboard } = navigator;
    Object.assign(navigator, { clipboard: { writeText: async (text: string) => void written.push(text) } });
    const { network, store } = await renderPage('/token', {
      user: person,
      replies: {
        'GET /api/token/': listed([token(1), token(2)]),
        'GET /api/token/1': success(token(1, { key: 'first-key' })),
        'GET /api/token/2': success(token(2, { key: 'second-key' })),
      },
    });
    const copy = await screen.findByRole('button', { name: zh.copySelected });
    fireEvent.click(copy);
    expect(await screen.findByText(zh.selectOne)).toBeTruthy();
    fireEvent.click(screen.getByLabelText(shell.table.selectPage));
    fireEvent.click(copy);
    fireEvent.click(copy);
    await waitFor(() => expect(written).toEqual(['token-1    sk-first-key\ntoken-2    sk-second-key']));
    expect(network.of('GET', '/api/token/1')).toHaveLength(1);
    expect(selectJobs(store.getState()).map(({ state }) => state)).toEqual(['done']);
    Object.assign(navigator, { clipboard });
  });

  it('says nothing of a new filter while the reply to the former one is empty', async () => {
    let answer: (rows: unknown) => void = () => undefined;
    const { router } = await renderPage('/token', {
      user: person,
      replies: {
        'GET /api/token/': listed([]),
        'GET /api/token/search': () => new Promise((resolve) => (answer = resolve)),
      },
    });
    expect(await screen.findByText(zh.empty.title)).toBeTruthy();
    await act(() => router.navigate('/token?keyword=a'));
    await waitFor(() => expect(screen.queryByText(zh.empty.title)).toBeNull());
    const noMatch = new RegExp(shell.state.noMatch.replace('{{filters}}', ''));
    expect(screen.queryByText(noMatch)).toBeNull();
    await act(async () => answer(listed([])));
    expect(await screen.findByText(noMatch)).toBeTruthy();
  });

  it('shows a failed load with a retry button and the request id', async () => {
    let broken = true;
    await renderPage('/token', {
      user: person,
      replies: {
        'GET /api/token/': () =>
          broken
            ? json(refusal('x', 'internal', { kind: 'internal' }), 500, { 'X-Oneapi-Request-Id': 'req-7' })
            : listed([token(1)]),
      },
    });
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('req-7');
    broken = false;
    fireEvent.click(within(alert).getByRole('button', { name: shell.action.retry }));
    expect(await screen.findByText('token-1')).toBeTruthy();
  });
});
