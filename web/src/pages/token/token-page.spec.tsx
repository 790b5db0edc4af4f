import { describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { Call } from '../../testing/fake-fetch.js';
import { json, refusal, success } from '../../testing/fake-fetch.js';
import { printStyle } from '../../app/print-style.js';
import { narrowWindow, shrinkingWindow } from '../../testing/narrow-window.js';
import { person, renderPage, selfOf } from '../../testing/render-page.js';
import { texts as shell } from '../../app/i18n/zh.js';
import { selectJobs } from '../../app/slices/jobs.js';
import { signedIn } from '../../app/slices/session.js';
import { texts as en } from './en.js';
import { texts as zh } from './zh.js';

const token = (id: number, change: Record<string, unknown> = {}) => ({
  id,
  user_id: 3,
  key: 'abc***xyz',
  status: 1,
  name: `token-${id}`,
  created_time: 1_795_000_000,
  accessed_time: 0,
  expired_time: -1,
  remain_quota: 500_000,
  used_quota: 0,
  unlimited_quota: false,
  model_limits_enabled: false,
  model_limits: '',
  allow_ips: '',
  group: '',
  ...change,
});
const list = (rows: unknown[], total = rows.length) => json(success(rows), 200, { 'X-Total-Count': String(total) });
const catalogue = {
  'GET /api/user/self/groups': success({ default: { desc: 'd', ratio: 1 } }),
  'GET /api/user/models': success(['m1', 'm2']),
};

describe('token page', () => {
  it('lists tokens without their keys, paged by the server', async () => {
    const { network, router } = await renderPage('/token', {
      user: person,
      replies: {
        'GET /api/token/': list(
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
    const rows = list([token(1), token(2, { group: 'vip' })]);
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
    const first = list(
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
    const replies = { 'GET /api/token/': list([token(1)]), 'GET /api/token/1': success({ ...token(1), key: 'whole' }) };
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
      const replies = { 'GET /api/token/': list([token(1, { used_quota: 1_250_000 })]) };
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
        replies: { 'GET /api/token/': list([token(1)]), 'GET /api/token/search': list([token(1)]) },
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
    await renderPage('/token', { user: person, replies: { 'GET /api/token/': list([token(1)]) } });
    fireEvent.click(await screen.findByRole('checkbox', { name: /token-/ }));
    const rules = Object.entries(printStyle['@media print']);
    const hidden = rules.flatMap(([selectors, rule]) =>
      'display' in rule && /none/.test(rule.display ?? '') ? selectors : [],
    );
    expect(screen.getByRole('toolbar').matches(hidden.join(', '))).toBe(true);
    expect(screen.getByRole('table').matches(hidden.join(', '))).toBe(false);
  });

  it('shows what is selected on cards too, and none of them lies under what can be done with it', async () => {
    await renderPage('/token', { user: person, replies: { 'GET /api/token/': list([token(1), token(2)]) } });
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

  it('keeps typed values when the login expires', async () => {
    const expired = json({ success: false, message: 'Expired', code: 'not-signed-in', kind: 'unauthenticated' }, 401);
    let ended = false;
    const nameField = () => screen.findByLabelText<HTMLInputElement>(zh.form.name);
    const { router, store } = await renderPage('/token/add', {
      user: person,
      replies: {
        ...{ ...catalogue, 'GET /api/token/': list([]), 'POST /api/token/': expired },
        'GET /api/user/self': () => (ended ? expired : success(selfOf(person))),
      },
    });
    fireEvent.change(await nameField(), { target: { value: 'typed before' } });
    ended = true;
    fireEvent.click(screen.getByRole('button', { name: shell.action.submit }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
    act(() => void store.dispatch(signedIn(person)));
    await act(() => router.navigate('/token/add'));
    await waitFor(async () => expect((await nameField()).value).toBe('typed before'));
  });

  it('shows no fields of one token at the address of another', async () => {
    const { router } = await renderPage('/token/edit/1', {
      user: person,
      replies: {
        ...catalogue,
        'GET /api/token/': list([token(1), token(2)]),
        'GET /api/token/1': success(token(1)),
        'GET /api/token/2': refusal('failed', 'token-not-found'),
      },
    });
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>(zh.form.name).value).toBe('token-1'));
    await act(() => router.navigate('/token/edit/2'));
    const drawer = within(await screen.findByRole('dialog'));
    await drawer.findByRole('button', { name: shell.action.retry });
    expect(drawer.queryByLabelText(zh.form.name)).toBeNull();
  });

  it.each(['link', 'button'] as const)(
    'is one entry again when a form is closed that a %s of it opened',
    async (role) => {
      const { router } = await renderPage('/about', {
        user: person,
        replies: {
          ...catalogue,
          'GET /api/about': success(''),
          'GET /api/token/': list([token(1)]),
          'GET /api/token/1': success(token(1)),
        },
      });
      await act(() => router.navigate('/token'));
      const row = within(await screen.findByRole('row', { name: /token-1/ }));
      fireEvent.click(row.getByRole(role, { name: role === 'link' ? 'token-1' : shell.action.edit }));
      const drawer = within(await screen.findByRole('dialog'));
      expect(router.state.location.pathname).toBe('/token/edit/1');
      fireEvent.click(drawer.getByRole('button', { name: shell.action.cancel }));
      await waitFor(() => expect(router.state.location.pathname).toBe('/token'));
      await act(() => router.navigate(-1));
      expect(router.state.location.pathname).toBe('/about');
    },
  );

  it('searches by the address and names the filter when nothing matches', async () => {
    const { network } = await renderPage('/token?keyword=zzz', {
      user: person,
      replies: { 'GET /api/token/search': list([]) },
    });
    expect(await screen.findByText((text) => text.includes('zzz') && text.length > 12)).toBeTruthy();
    expect(network.of('GET', '/api/token/search')[0]?.query.get('keyword')).toBe('zzz');
  });

  it('shows a key without keeping it in the store', async () => {
    const { store } = await renderPage('/token', {
      user: person,
      replies: {
        'GET /api/token/': list([token(1)]),
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

  it('creates a token from the drawer with the defaults of the spec', async () => {
    const { network, router } = await renderPage('/token/add', {
      user: person,
      replies: { ...catalogue, 'GET /api/token/': list([]), 'POST /api/token/': success() },
    });
    const drawer = await screen.findByRole('dialog', { name: zh.create });
    await waitFor(() => expect(within(drawer).getByLabelText<HTMLSelectElement>(zh.form.group).value).toBe('default'));
    // The name of the button says what it does, so it has no state beside it.
    expect(within(drawer).getByRole('button', { name: zh.form.limit }).hasAttribute('aria-pressed')).toBe(false);
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/token'));
    expect(network.of('POST', '/api/token/')[0]?.body).toMatchObject({
      name: zh.form.defaultName,
      expired_time: -1,
      remain_quota: 500_000,
      unlimited_quota: true,
      group: 'default',
    });
    expect(await screen.findByText(zh.panel.title)).toBeTruthy();
  });

  it('keeps typed values when the server refuses', async () => {
    await renderPage('/token/add', {
      user: person,
      replies: { ...catalogue, 'GET /api/token/': list([]), 'POST /api/token/': refusal('Too many', 'too-many') },
    });
    const drawer = await screen.findByRole('dialog', { name: zh.create });
    const name = within(drawer).getByLabelText<HTMLInputElement>(zh.form.name);
    fireEvent.change(name, { target: { value: 'mine' } });
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    expect(await within(drawer).findByText('Too many')).toBeTruthy();
    expect(name.value).toBe('mine');
  });

  it('shows no former refusal while several are created', async () => {
    const { network } = await renderPage('/token/add', {
      user: person,
      replies: {
        ...catalogue,
        'GET /api/token/': list([]),
        'POST /api/token/': ({ body }: Call) =>
          (body as { name: string }).name === 'mine' ? refusal('Too many', 'too-many') : new Promise(() => undefined),
      },
    });
    const drawer = within(await screen.findByRole('dialog', { name: zh.create }));
    fireEvent.change(drawer.getByLabelText(zh.form.name), { target: { value: 'mine' } });
    fireEvent.click(drawer.getByRole('button', { name: shell.action.submit }));
    expect(await drawer.findByText('Too many')).toBeTruthy();
    fireEvent.change(drawer.getByLabelText(zh.form.name), { target: { value: 'other' } });
    fireEvent.change(drawer.getByLabelText(zh.form.count), { target: { value: '2' } });
    fireEvent.click(drawer.getByRole('button', { name: shell.action.submit }));
    await waitFor(() => expect(network.of('POST', '/api/token/')).toHaveLength(2));
    expect(drawer.queryByText('Too many')).toBeNull();
  });

  it('sends only changed fields, and nothing when none changed', async () => {
    const stored = token(5, { unlimited_quota: true });
    const { network, router } = await renderPage('/token/edit/5', {
      user: person,
      language: 'en',
      replies: {
        ...catalogue,
        'GET /api/token/': list([stored]),
        'GET /api/token/5': success(stored),
        'PUT /api/token/': success(stored),
      },
    });
    const drawer = await screen.findByRole('dialog', { name: new RegExp('token-5') });
    const submit = await within(drawer).findByRole('button', { name: 'Submit' });
    await waitFor(() => expect(within(drawer).getByLabelText<HTMLInputElement>(en.form.name).value).toBe('token-5'));
    fireEvent.click(submit);
    expect(await screen.findByText('Nothing was changed')).toBeTruthy();
    fireEvent.change(within(drawer).getByLabelText(en.form.name), { target: { value: 'renamed' } });
    fireEvent.click(submit);
    await waitFor(() => expect(router.state.location.pathname).toBe('/token'));
    expect(network.of('PUT', '/api/token/').map(({ body }) => body)).toEqual([
      { id: 5, name: 'renamed', expected: { name: 'token-5' } },
    ]);
  });

  it('copies the keys of the selected tokens once, however often the button is pressed', async () => {
    const written: string[] = [];
    const { clipboard } = navigator;
    Object.assign(navigator, { clipboard: { writeText: async (text: string) => void written.push(text) } });
    const { network, store } = await renderPage('/token', {
      user: person,
      replies: {
        'GET /api/token/': list([token(1), token(2)]),
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
        'GET /api/token/': list([]),
        'GET /api/token/search': () => new Promise((resolve) => (answer = resolve)),
      },
    });
    expect(await screen.findByText(zh.empty.title)).toBeTruthy();
    await act(() => router.navigate('/token?keyword=a'));
    await waitFor(() => expect(screen.queryByText(zh.empty.title)).toBeNull());
    const noMatch = new RegExp(shell.state.noMatch.replace('{{filters}}', ''));
    expect(screen.queryByText(noMatch)).toBeNull();
    await act(async () => answer(list([])));
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
            : list([token(1)]),
      },
    });
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('req-7');
    broken = false;
    fireEvent.click(within(alert).getByRole('button', { name: shell.action.retry }));
    expect(await screen.findByText('token-1')).toBeTruthy();
  });
});
