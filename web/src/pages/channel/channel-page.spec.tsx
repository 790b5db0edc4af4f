import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { channelTypes } from '@tollgate/contracts/channel-types';
import { sessionExpired } from '../../api/events.js';
import { signedIn } from '../../app/slices/session.js';
import { texts as shellEn } from '../../app/i18n/en.js';
import { texts as refusalsEn } from '../../app/i18n/errors/en.js';
import { texts as shell } from '../../app/i18n/zh.js';
import type { Call } from '../../testing/fake-fetch.js';
import { listed, refusal, success } from '../../testing/fake-fetch.js';
import { untilIdle } from '../../testing/until-idle.js';
import { admin, renderPage } from '../../testing/render-page.js';
import { channel, channelReplies } from '../../testing/channel-replies.js';
import { texts as en } from './en.js';
import { texts as zh } from './zh.js';

const off = channel(2, {
  status: 3,
  other_info: JSON.stringify({ status_reason: '401 invalid key', status_time: 1_795_000_000 }),
});

describe('channel page', () => {
  it('shows how many channels are disabled and why one is', async () => {
    await renderPage('/channel', { user: admin, replies: channelReplies([channel(1), off]) });
    await screen.findByRole('table', { name: zh.title });
    expect(await screen.findByRole('button', { name: `${zh.count.auto_disabled} 1` })).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: shell.status.autoDisabled }));
    expect((await screen.findByRole('dialog')).textContent).toContain('401 invalid key');
  });

  it('has the documented columns in their order, the id before the name', async () => {
    await renderPage('/channel', { user: admin, replies: channelReplies([channel(1)]) });
    const table = await screen.findByRole('table', { name: zh.title });
    const heads = within(table)
      .getAllByRole('columnheader')
      .flatMap(({ textContent }) => textContent ?? []);
    const own = ['id', 'name', 'group', 'type', 'status', 'response', 'quota', 'priority', 'weight'] as const;
    const documented = own.map((column): string => zh.column[column]);
    expect(heads.filter((head) => documented.includes(head))).toEqual(documented);
  });

  it('says why an enabled channel is suspected', async () => {
    const kept = channel(1, { other_info: '{"status_reason":"401 invalid key","status_time":1700000000}' });
    const { network } = await renderPage('/channel', {
      user: admin,
      replies: channelReplies([kept], { 'PUT /api/channel/': success(kept) }),
    });
    fireEvent.click(await screen.findByRole('button', { name: shell.status.suspect }));
    const dialog = await screen.findByRole('dialog');
    expect(dialog.textContent).toContain('401 invalid key');
    expect(dialog.textContent).toContain(zh.why.suspectNext);
    fireEvent.click(within(dialog).getByRole('button', { name: shell.action.disable }));
    await waitFor(() => expect(network.of('PUT', '/api/channel/')[0]?.body).toEqual({ id: 1, status: 2 }));
  });

  it('tests the selected channels in one call, and fetches the list once', async () => {
    const rows = [1, 2, 3].map((id) => channel(id));
    const { network } = await renderPage('/channel', {
      user: admin,
      replies: channelReplies(rows, {
        'POST /api/channel/batch/test': success([
          { id: 1, success: true, message: '', time: 0.5 },
          { id: 2, success: false, message: 'no such model', time: 0 },
          { id: 3, success: true, message: '', time: 0.5 },
        ]),
      }),
    });
    const table = await screen.findByRole('table', { name: zh.title });
    fireEvent.click(within(table).getAllByRole('checkbox')[0] as HTMLElement);
    const asked = () => [
      network.of('GET', '/api/channel/search').length,
      network.of('GET', '/api/channel/count').length,
    ];
    expect(asked()).toEqual([1, 1]);
    fireEvent.click(await within(screen.getByRole('toolbar')).findByRole('button', { name: zh.test.one }));
    const job = await screen.findByRole('region', { name: zh.test.many });
    expect(await within(job).findByText('no such model')).toBeTruthy();
    const counts = { done: 2, failed: 1, skipped: 0 };
    const summary = shell.job.summary.replace(/\{\{(\w+)\}\}/g, (_, name: keyof typeof counts) => String(counts[name]));
    expect(within(job).getByRole('status').textContent).toBe(summary);
    expect(network.of('POST', '/api/channel/batch/test').map(({ body }) => body)).toEqual([{ ids: [1, 2, 3] }]);
    await waitFor(() => expect(asked()).toEqual([2, 2]));
  });

  it.each([
    ['zh', 'changed elsewhere', shell, zh],
    ['en', refusalsEn['channel-changed-meanwhile'], shellEn, en],
  ] as const)(
    'says in the words of the console what a change of many refused (%s)',
    async (language, words, app, own) => {
      const rows = [1, 2].map((id) => channel(id));
      await renderPage('/channel', {
        user: admin,
        language,
        replies: channelReplies(rows, {
          'PUT /api/channel/': ({ body }: Call) =>
            (body as { id: number }).id === 1
              ? success(channel(1))
              : refusal('changed elsewhere', 'channel-changed-meanwhile', {
                  kind: 'conflict',
                  params: { id: 2 },
                }),
        }),
      });
      const table = await screen.findByRole('table', { name: own.title });
      fireEvent.click(within(table).getAllByRole('checkbox')[0] as HTMLElement);
      fireEvent.click(await within(screen.getByRole('toolbar')).findByRole('button', { name: app.action.disable }));
      const job = await screen.findByRole('region', { name: own.bulk.disable });
      expect(await within(job).findByText(words)).toBeTruthy();
      expect(within(job).getByText(app.status.disabled)).toBeTruthy();
      const counts = { done: 1, failed: 1, skipped: 0 };
      const summary = app.job.summary.replace(/\{\{(\w+)\}\}/g, (_, name: keyof typeof counts) => String(counts[name]));
      await waitFor(() => expect(within(job).getByRole('status').textContent).toBe(summary));
    },
  );

  it('shows a failed test as such, and not as a fast response', async () => {
    const tested = [
      channel(1, { response_time: 10, test_ok: false }),
      channel(2, { response_time: 10, test_ok: true }),
      channel(3, { response_time: 0, test_ok: false }),
    ];
    await renderPage('/channel', { user: admin, replies: channelReplies(tested) });
    const row = (id: number) => screen.findByRole('row', { name: new RegExp(`channel-${id}`) });
    const fast = zh.seconds.replace('{{time}}', '0.01');
    expect(within(await row(1)).getByText(zh.test.failed).title).toBe(fast);
    expect(within(await row(1)).queryByText(fast)).toBeNull();
    expect(within(await row(2)).getByText(fast)).toBeTruthy();
    expect(within(await row(3)).getByText(zh.test.failed).title).toBe('');
  });

  it('keeps the error of a failed test in the row', async () => {
    await renderPage('/channel', {
      user: admin,
      replies: channelReplies([channel(1)], {
        'GET /api/channel/test/1': { success: false, message: 'no such model', time: 0.4 },
      }),
    });
    const row = await screen.findByRole('row', { name: /channel-1/ });
    fireEvent.click(within(row).getByRole('button', { name: zh.test.one }));
    expect(await within(row).findByText('no such model')).toBeTruthy();
  });

  it('saves a priority in place and restores it when the server refuses', async () => {
    let refuse = false;
    const { network } = await renderPage('/channel', {
      user: admin,
      replies: channelReplies([channel(1)], {
        'PUT /api/channel/': () =>
          refuse ? { success: false, message: 'no', code: 'x', kind: 'invalid' } : success(channel(1)),
      }),
    });
    const row = await screen.findByRole('row', { name: /channel-1/ });
    const cell = within(row).getByLabelText<HTMLInputElement>(zh.inline.priority.replace('{{name}}', 'channel-1'));
    fireEvent.change(cell, { target: { value: '7' } });
    fireEvent.blur(cell);
    await waitFor(() =>
      expect(network.of('PUT', '/api/channel/')[0]?.body).toEqual({ id: 1, priority: 7, expected: { priority: 0 } }),
    );
    refuse = true;
    fireEvent.change(cell, { target: { value: '9' } });
    fireEvent.blur(cell);
    await waitFor(() => expect(cell.value).toBe('0'));
  });

  it('shows why the server refused a priority', async () => {
    await renderPage('/channel', {
      user: admin,
      replies: channelReplies([channel(1)], { 'PUT /api/channel/': refusal('Not that one', 'x') }),
    });
    const cell = await screen.findByLabelText(zh.inline.priority.replace('{{name}}', 'channel-1'));
    fireEvent.change(cell, { target: { value: '9' } });
    fireEvent.blur(cell);
    expect(await screen.findByText('Not that one')).toBeTruthy();
  });

  it.each([
    ['zh', zh],
    ['en', en],
  ] as const)(
    'says what a priority and a weight have to be, and takes 0 for a negative weight of a channel (%s)',
    async (language, own) => {
      const { network } = await renderPage('/channel', {
        user: admin,
        language,
        replies: channelReplies([channel(1, { weight: 3 })], { 'PUT /api/channel/': success(channel(1)) }),
      });
      const write = async (field: 'priority' | 'weight', value: string) => {
        const cell = await screen.findByLabelText(own.inline[field].replace('{{name}}', 'channel-1'));
        fireEvent.change(cell, { target: { value } });
        fireEvent.blur(cell);
      };
      await write('priority', '1.5');
      expect(await screen.findByText(own.form.badPriority)).toBeTruthy();
      await write('priority', '-1000');
      expect(await screen.findByText(own.form.smallPriority)).toBeTruthy();
      await write('priority', '2147483648');
      expect(await screen.findByText(own.form.bigPriority.replace('{{max, integer}}', '1,000,000,000'))).toBeTruthy();
      await write('weight', 'x');
      expect(await screen.findByText(own.form.badWeight)).toBeTruthy();
      await write('weight', '4294967296');
      expect(await screen.findByText(own.form.bigWeight.replace('{{max, integer}}', '1,000,000,000'))).toBeTruthy();
      expect(network.of('PUT', '/api/channel/')).toEqual([]);
      await write('weight', '-4');
      await waitFor(() =>
        expect(network.of('PUT', '/api/channel/')[0]?.body).toEqual({ id: 1, weight: 0, expected: { weight: 3 } }),
      );
    },
  );

  it('refuses a negative weight of a tag', async () => {
    const { network } = await renderPage('/channel?tags=1', {
      user: admin,
      replies: channelReplies([channel(1, { tag: 'prod' })], { 'PUT /api/channel/tag': success() }),
    });
    const cell = await screen.findByLabelText<HTMLInputElement>(zh.inline.weight.replace('{{name}}', 'prod'));
    fireEvent.change(cell, { target: { value: '-4' } });
    fireEvent.blur(cell);
    expect(await screen.findByText(zh.form.badWeight)).toBeTruthy();
    expect(cell.value).toBe('-4');
    expect(screen.queryByRole('alertdialog')).toBeNull();
    expect(network.of('PUT', '/api/channel/tag')).toEqual([]);
  });

  it('lets the priority of a tag be changed again after the confirmation was cancelled', async () => {
    const { network } = await renderPage('/channel?tags=1', {
      user: admin,
      replies: channelReplies([channel(1, { tag: 'prod' })], { 'PUT /api/channel/tag': success() }),
    });
    const cell = await screen.findByLabelText<HTMLInputElement>(zh.inline.priority.replace('{{name}}', 'prod'));
    const ask = async (button: string) => {
      fireEvent.change(cell, { target: { value: '9' } });
      fireEvent.blur(cell);
      const dialog = within(await screen.findByRole('alertdialog'));
      fireEvent.click(dialog.getByRole('button', { name: button }));
      await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    };
    await ask(shell.action.cancel);
    await waitFor(() => expect([cell.value, cell.getAttribute('aria-busy')]).toEqual(['0', 'false']));
    await ask(shell.action.ok);
    await waitFor(() => expect(network.of('PUT', '/api/channel/tag')).toHaveLength(1));
  });

  it('removes deleted channels from the selection', async () => {
    let rows = [channel(1), channel(2)];
    await renderPage('/channel', {
      user: admin,
      replies: {
        ...channelReplies(rows, { 'DELETE /api/channel/1/': () => ((rows = [channel(2)]), success()) }),
        'GET /api/channel/search': () => listed(rows),
      },
    });
    const table = await screen.findByRole('table', { name: zh.title });
    fireEvent.click(within(table).getAllByRole('checkbox')[0] as HTMLElement);
    expect(screen.getByRole('toolbar', { name: shell.table.selected.replace('{{count}}', '2') })).toBeTruthy();
    const row = await screen.findByRole('row', { name: /channel-1/ });
    fireEvent.click(row.querySelector('[aria-haspopup="menu"]') as HTMLElement);
    fireEvent.click(await screen.findByRole('menuitem', { name: shell.action.delete }));
    const dialog = within(await screen.findByRole('alertdialog'));
    fireEvent.click(dialog.getByRole('button', { name: shell.action.delete }));
    const left = shell.table.selected.replace('{{count}}', '1');
    expect(await screen.findByRole('toolbar', { name: left })).toBeTruthy();
  });

  /** The dialog of a channel after a click has started the tests of its two models; `held` answers those that were sent. */
  async function withRunningTests() {
    const held: (() => void)[] = [];
    const { store, network } = await renderPage('/channel', {
      user: admin,
      replies: channelReplies([channel(1)], {
        'GET /api/channel/test/1': () =>
          new Promise((resolve) => held.push(() => resolve({ success: true, message: '', time: 1 }))),
      }),
    });
    const row = await screen.findByRole('row', { name: /channel-1/ });
    fireEvent.click(row.querySelector('[aria-haspopup="menu"]') as HTMLElement);
    fireEvent.click(await screen.findByRole('menuitem', { name: zh.test.pick }));
    const dialog = within(await screen.findByRole('dialog', { name: zh.test.of.replace('{{name}}', 'channel-1') }));
    for (const box of dialog.getAllByRole('checkbox')) fireEvent.click(box);
    fireEvent.click(dialog.getByRole('button', { name: zh.test.selected.replace('{{count}}', '2') }), { detail: 1 });
    await waitFor(() => expect(held).toHaveLength(1));
    return { store, network, dialog, held };
  }

  it('starts no further test after the dialog is closed', async () => {
    const { store, network, dialog, held } = await withRunningTests();
    fireEvent.click(dialog.getByRole('button', { name: shell.action.close }));
    await act(async () => held[0]?.());
    await act(() => untilIdle(store));
    expect(network.of('GET', '/api/channel/test/1')).toHaveLength(1);
  });

  it('neither closes nor stops by the second click of a double click that started the tests', async () => {
    const { network, dialog, held } = await withRunningTests();
    fireEvent.click(dialog.getByRole('button', { name: zh.test.stop }), { detail: 2 });
    fireEvent.click(dialog.getByRole('button', { name: shell.action.close }), { detail: 2 });
    await act(async () => held[0]?.());
    await waitFor(() => expect(network.of('GET', '/api/channel/test/1')).toHaveLength(2));
    fireEvent.click(dialog.getByRole('button', { name: shell.action.close }), { detail: 1 });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await act(async () => held[1]?.());
  });

  it('removes an invalid channel id from the address', async () => {
    await renderPage('/channel/edit/x', { user: admin, replies: channelReplies([channel(1)]) });
    await screen.findByRole('table', { name: zh.title });
    expect(screen.queryByRole('dialog')).toBeNull();
  });
  it('groups by tag', async () => {
    const rows = [channel(1, { tag: 'prod' }), channel(2, { tag: 'prod', status: 2 }), channel(3, { tag: 'eu' })];
    const { network } = await renderPage('/channel?tags=1', { user: admin, replies: channelReplies(rows) });
    const table = await screen.findByRole('table', { name: zh.tag.mode });
    expect(within(table).getByRole('row', { name: /prod/ }).textContent).toContain('1 / 2');
    expect(network.of('GET', '/api/channel/search').at(-1)?.query.get('tag_mode')).toBe('true');
  });

  it('keeps the typed form of a tag when the login expires, and reopens it by its address', async () => {
    const rows = [channel(1, { tag: 'prod' })];
    const { store, router } = await renderPage('/channel?tags=1&edit=prod', {
      user: admin,
      replies: channelReplies(rows),
    });
    const field = () => screen.findByLabelText<HTMLInputElement>(zh.tag.newName);
    fireEvent.change(await field(), { target: { value: 'production' } });
    act(() => void store.dispatch(sessionExpired()));
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
    act(() => void store.dispatch(signedIn(admin)));
    await act(() => router.navigate('/channel?tags=1&edit=prod'));
    await waitFor(async () => expect((await field()).value).toBe('production'));
  });

  it('has a name for every channel type in both languages', () => {
    for (const { slug } of Object.values(channelTypes)) {
      expect(zh.type).toHaveProperty([slug]);
      expect(en.type).toHaveProperty([slug]);
    }
  });
});
