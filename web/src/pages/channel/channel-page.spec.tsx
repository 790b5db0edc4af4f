import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { channelTypes } from '@tollgate/contracts/channel-types';
import { sessionExpired } from '../../api/events.js';
import { signedIn } from '../../app/slices/session.js';
import { texts as shellEn } from '../../app/i18n/en.js';
import { texts as refusalsEn } from '../../app/i18n/errors/en.js';
import { texts as refusals } from '../../app/i18n/errors/zh.js';
import { texts as shell } from '../../app/i18n/zh.js';
import type { Call, Replies } from '../../testing/fake-fetch.js';
import { json, refusal, success } from '../../testing/fake-fetch.js';
import { admin, renderPage } from '../../testing/render-page.js';
import { texts as en } from './en.js';
import { texts as zh } from './zh.js';

const channel = (id: number, change: Record<string, unknown> = {}) => ({
  id,
  type: 1,
  name: `channel-${id}`,
  status: 1,
  openai_organization: null,
  base_url: '',
  other: '',
  models: 'gpt-4o,gpt-4o-mini',
  group: 'default',
  model_mapping: null,
  status_code_mapping: null,
  param_override: null,
  setting: null,
  auto_ban: 1,
  test_model: null,
  priority: 0,
  weight: 0,
  tag: null,
  created_time: 1,
  test_time: 0,
  response_time: 0,
  balance: 0,
  balance_updated_time: 0,
  used_quota: 0,
  other_info: '',
  ...change,
});
const list = (rows: unknown[]) => json(success(rows), 200, { 'X-Total-Count': String(rows.length) });
const world = (rows: unknown[], more: Replies = {}): Replies => ({
  'GET /api/channel/search': list(rows),
  'GET /api/channel/count': success({
    all: rows.length,
    enabled: 0,
    disabled: 0,
    auto_disabled: rows.filter((row) => (row as { status: number }).status === 3).length,
  }),
  'GET /api/group/': success(['default', 'vip']),
  'GET /api/channel/models': success([]),
  ...more,
});
const off = channel(2, {
  status: 3,
  other_info: JSON.stringify({ status_reason: '401 invalid key', status_time: 1_795_000_000 }),
});

describe('channel page', () => {
  it('shows how many channels are disabled and why one is', async () => {
    await renderPage('/channel', { user: admin, replies: world([channel(1), off]) });
    await screen.findByRole('table', { name: zh.title });
    expect(await screen.findByRole('button', { name: `${zh.count.auto_disabled} 1` })).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: shell.status.autoDisabled }));
    expect((await screen.findByRole('dialog')).textContent).toContain('401 invalid key');
  });

  it('says why an enabled channel is suspected', async () => {
    const kept = channel(1, { other_info: '{"status_reason":"401 invalid key","status_time":1700000000}' });
    const { network } = await renderPage('/channel', {
      user: admin,
      replies: world([kept], { 'PUT /api/channel/': success(kept) }),
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
      replies: world(rows, {
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
    ['zh', refusals['channel-changed-meanwhile'], shell, zh],
    ['en', refusalsEn['channel-changed-meanwhile'], shellEn, en],
  ] as const)(
    'says in the words of the console what a change of many refused (%s)',
    async (language, words, app, own) => {
      const rows = [1, 2].map((id) => channel(id));
      await renderPage('/channel', {
        user: admin,
        language,
        replies: world(rows, {
          'PUT /api/channel/': ({ body }: Call) =>
            (body as { id: number }).id === 1
              ? success(channel(1))
              : refusal(refusals['channel-changed-meanwhile'], 'channel-changed-meanwhile', {
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

  it('keeps the error of a failed test in the row', async () => {
    await renderPage('/channel', {
      user: admin,
      replies: world([channel(1)], {
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
      replies: world([channel(1)], {
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
      replies: world([channel(1)], { 'PUT /api/channel/': refusal('Not that one', 'x') }),
    });
    const cell = await screen.findByLabelText(zh.inline.priority.replace('{{name}}', 'channel-1'));
    fireEvent.change(cell, { target: { value: '9' } });
    fireEvent.blur(cell);
    expect(await screen.findByText('Not that one')).toBeTruthy();
  });

  it('lets the priority of a tag be changed again after the confirmation was cancelled', async () => {
    const { network } = await renderPage('/channel?tags=1', {
      user: admin,
      replies: world([channel(1, { tag: 'prod' })], { 'PUT /api/channel/tag': success() }),
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
        ...world(rows, { 'DELETE /api/channel/1/': () => ((rows = [channel(2)]), success()) }),
        'GET /api/channel/search': () => list(rows),
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

  it('starts no further test after the dialog is closed', async () => {
    const held: (() => void)[] = [];
    const { network } = await renderPage('/channel', {
      user: admin,
      replies: world([channel(1)], {
        'GET /api/channel/test/1': () =>
          new Promise((resolve) => held.push(() => resolve({ success: true, message: '', time: 1 }))),
      }),
    });
    const row = await screen.findByRole('row', { name: /channel-1/ });
    fireEvent.click(row.querySelector('[aria-haspopup="menu"]') as HTMLElement);
    fireEvent.click(await screen.findByRole('menuitem', { name: zh.test.pick }));
    const dialog = within(await screen.findByRole('dialog'));
    for (const box of dialog.getAllByRole('checkbox')) fireEvent.click(box);
    fireEvent.click(dialog.getByRole('button', { name: zh.test.selected.replace('{{count}}', '2') }));
    await waitFor(() => expect(held).toHaveLength(1));
    fireEvent.click(dialog.getByRole('button', { name: shell.action.close }));
    await act(async () => held[0]?.());
    await act(async () => new Promise((resolve) => setTimeout(resolve, 50)));
    expect(network.of('GET', '/api/channel/test/1')).toHaveLength(1);
  });

  it('removes an invalid channel id from the address', async () => {
    await renderPage('/channel/edit/x', { user: admin, replies: world([channel(1)]) });
    await screen.findByRole('table', { name: zh.title });
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('opens the list and the drawer from an address, and checks the form with the specified messages', async () => {
    const { network } = await renderPage('/channel/add', { user: admin, replies: world([]) });
    const drawer = await screen.findByRole('dialog', { name: zh.create });
    expect(await screen.findByText(zh.empty.title)).toBeTruthy();
    fireEvent.click(within(drawer).getByRole('button', { name: zh.form.clearModels }));
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    expect(await within(drawer).findAllByText(zh.form.nameAndKey)).toHaveLength(2);
    expect(within(drawer).getByText(zh.form.oneModel)).toBeTruthy();
    expect(network.of('POST', '/api/channel/')).toEqual([]);
  });

  it('edits a channel without receiving its key and sends only changed fields', async () => {
    const { network, router } = await renderPage('/channel/edit/1', {
      user: admin,
      replies: world([channel(1)], {
        'GET /api/channel/1': success(channel(1)),
        'PUT /api/channel/': success(channel(1)),
      }),
    });
    const drawer = await screen.findByRole('dialog', { name: /channel-1/ });
    const name = await within(drawer).findByLabelText<HTMLInputElement>(zh.form.name);
    await waitFor(() => expect(name.value).toBe('channel-1'));
    expect(within(drawer).getByLabelText<HTMLInputElement>(zh.form.key).value).toBe('');
    fireEvent.change(name, { target: { value: 'renamed' } });
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/channel'));
    expect(network.of('PUT', '/api/channel/')[0]?.body).toEqual({
      ...{ id: 1, name: 'renamed', expected: { name: 'channel-1' } },
    });
  });

  it('requires the key again before a changed address is saved', async () => {
    const { network } = await renderPage('/channel/edit/1', {
      user: admin,
      replies: world([channel(1)], {
        'GET /api/channel/1': success(channel(1)),
        'PUT /api/channel/': success(channel(1)),
      }),
    });
    const drawer = await screen.findByRole('dialog', { name: /channel-1/ });
    const address = await within(drawer).findByLabelText<HTMLInputElement>(zh.form.address.optional);
    await waitFor(() => expect(within(drawer).getByText(new RegExp(zh.form.keyStored))).toBeTruthy());
    fireEvent.change(address, { target: { value: 'https://elsewhere.example' } });
    expect(await within(drawer).findByText(new RegExp(zh.form.keyNeeded))).toBeTruthy();
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    const key = within(drawer).getByLabelText<HTMLInputElement>(zh.form.key);
    await waitFor(() => expect(key.getAttribute('aria-invalid')).toBe('true'));
    expect(network.of('PUT', '/api/channel/')).toEqual([]);
    fireEvent.change(key, { target: { value: 'sk-again' } });
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    await waitFor(() =>
      expect(network.of('PUT', '/api/channel/')[0]?.body).toEqual({
        ...{ id: 1, base_url: 'https://elsewhere.example', key: 'sk-again' },
        expected: { base_url: '' },
      }),
    );
  });

  it('offers every channel type, and marks the types that can no longer be called', async () => {
    await renderPage('/channel/add', { user: admin, replies: world([]) });
    const drawer = await screen.findByRole('dialog', { name: zh.create });
    const field = within(drawer).getByLabelText<HTMLSelectElement>(zh.form.type);
    expect([...field.options].map(({ value }) => Number(value))).toEqual(Object.keys(channelTypes).map(Number));
    fireEvent.change(field, { target: { value: '21' } });
    await waitFor(() => expect(within(drawer).getByText(zh.form.banner.retired)).toBeTruthy());
    expect(field.selectedOptions[0]?.textContent).toBe(
      zh.form.retiredType.replace('{{label}}', zh.type['ai-proxy-library']),
    );
    expect(within(drawer).getByLabelText(zh.form.other['knowledge-id'])).toBeTruthy();
  });

  it('accepts one region, or one per model, for Vertex', async () => {
    await renderPage('/channel/add', { user: admin, replies: world([]) });
    const drawer = await screen.findByRole('dialog', { name: zh.create });
    fireEvent.change(within(drawer).getByLabelText(zh.form.type), { target: { value: '41' } });
    const field = await within(drawer).findByLabelText<HTMLTextAreaElement>(zh.form.other.region);
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    await waitFor(() => expect(within(drawer).getByText(zh.form.noRegion)).toBeTruthy());
    fireEvent.change(field, { target: { value: '{"a":"us-east5"}' } });
    await waitFor(() => expect(within(drawer).getByText(zh.form.badRegion)).toBeTruthy());
    fireEvent.click(within(drawer).getByRole('button', { name: zh.form.regionTemplate }));
    await waitFor(() => expect(JSON.parse(field.value)).toHaveProperty('default'));
  });

  it('stores the policy for disconnecting clients in the extra settings', async () => {
    const stored = channel(1, { setting: '{"force_format":true}' });
    const { network } = await renderPage('/channel/edit/1', {
      user: admin,
      replies: world([stored], { 'GET /api/channel/1': success(stored), 'PUT /api/channel/': success(stored) }),
    });
    const drawer = await screen.findByRole('dialog', { name: /channel-1/ });
    await waitFor(() => expect(within(drawer).getByLabelText<HTMLInputElement>(zh.form.name).value).toBe('channel-1'));
    const policy = await within(drawer).findByLabelText<HTMLSelectElement>(zh.form.policy.label);
    expect(policy.value).toBe('stop');
    fireEvent.change(policy, { target: { value: 'drain' } });
    await waitFor(() => expect(within(drawer).getByText(zh.form.policy.drainHint)).toBeTruthy());
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    await waitFor(() => expect(network.of('PUT', '/api/channel/')).toHaveLength(1));
    const { setting } = network.of('PUT', '/api/channel/')[0]?.body as { setting: string };
    expect(JSON.parse(setting)).toEqual({ force_format: true, abort_policy: 'drain' });
  });

  it('refuses a mapping to an invalid status, and an unknown policy', async () => {
    const { network } = await renderPage('/channel/edit/1', {
      user: admin,
      replies: world([channel(1)], { 'GET /api/channel/1': success(channel(1)) }),
    });
    const drawer = await screen.findByRole('dialog', { name: /channel-1/ });
    await waitFor(() => expect(within(drawer).getByLabelText<HTMLInputElement>(zh.form.name).value).toBe('channel-1'));
    const type = (label: string, value: string) =>
      fireEvent.change(within(drawer).getByLabelText(label), { target: { value } });
    type(zh.form.statusMapping, '{"400":"ok"}');
    type(zh.form.setting, '{"abort_policy":"wait"}');
    expect(within(drawer).getByLabelText(zh.form.policy.label).getAttribute('aria-disabled')).toBe('true');
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    expect(await within(drawer).findByText(zh.form.badStatus.target)).toBeTruthy();
    expect(within(drawer).getByText(zh.form.badPolicy)).toBeTruthy();
    expect(network.of('PUT', '/api/channel/')).toEqual([]);
  });

  it('groups by tag', async () => {
    const rows = [channel(1, { tag: 'prod' }), channel(2, { tag: 'prod', status: 2 }), channel(3, { tag: 'eu' })];
    const { network } = await renderPage('/channel?tags=1', { user: admin, replies: world(rows) });
    const table = await screen.findByRole('table', { name: zh.tag.mode });
    expect(within(table).getByRole('row', { name: /prod/ }).textContent).toContain('1 / 2');
    expect(network.of('GET', '/api/channel/search').at(-1)?.query.get('tag_mode')).toBe('true');
  });

  it('keeps the typed form of a tag when the login expires, and reopens it by its address', async () => {
    const rows = [channel(1, { tag: 'prod' })];
    const { store, router } = await renderPage('/channel?tags=1&edit=prod', { user: admin, replies: world(rows) });
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
