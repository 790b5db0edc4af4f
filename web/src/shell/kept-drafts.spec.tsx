import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { texts as shell } from '../app/i18n/zh.js';
import { texts as setting } from '../pages/setting/zh.js';
import { texts as token } from '../pages/token/zh.js';
import { texts as user } from '../pages/user/zh.js';
import { success } from '../testing/fake-fetch.js';
import { person, renderPage, root, selfOf } from '../testing/render-page.js';

const settings = {
  'GET /api/option/': success([
    { key: 'ModelRatio', value: '{"a":1}', revision: 1 },
    { key: 'Notice', value: 'stored', revision: 1 },
  ]),
  'GET /api/channel/models_enabled': success(['a']),
};
const pageOf = (...items: unknown[]) => success({ items, total: items.length, page: 1, page_size: 10 });
const tokens = {
  'GET /api/token/': success([]),
  'GET /api/user/self/groups': success({ default: { desc: 'Default', ratio: 1 } }),
  'GET /api/user/models': success(['gpt-4o']),
};

const bob = { ...selfOf(person), email: '', aff_count: 0, inviter_id: 0, remark: '' };
const accounts = {
  ...{ 'GET /api/user/': pageOf(bob), 'GET /api/user/3': success(bob), 'GET /api/group/': success(['default']) },
  ...{ 'GET /api/user/3/session': success([]), 'GET /api/user/3/2fa': success({ totp: false, passkeys: 0 }) },
  ...{ 'GET /api/user/3/binding': success([]), 'GET /api/token/user/3': pageOf(), 'GET /api/journal': pageOf() },
  ...{ 'GET /api/delivery': pageOf() },
};

/** Leaves the page as a reload does, and returns what its forms have left in the tab. */
function reload({ unmount }: { unmount: () => void }): Record<string, unknown> {
  window.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: false }));
  const { forms } = JSON.parse(sessionStorage.getItem('draft') ?? '{"forms":{}}') as { forms: Record<string, unknown> };
  unmount();
  return forms;
}

describe('a draft of another version of the console', () => {
  it.each<[string, unknown]>([
    ['prices', { edits: [5, null], bases: [] }],
    ['prices', { edits: [['a', { name: 'a' }]], bases: [] }],
    ['prices', { edits: [['a', null]], bases: [['a', { name: 'a', price: 1, ratio: '', completion: '' }]] }],
  ])('leaves the settings as they are: %s', async (form, draft) => {
    await renderPage('/setting', { user: root, replies: settings, drafts: { [`/setting#${form}`]: draft } });
    const area = within(await screen.findByRole('region', { name: setting.card.ratio }));
    fireEvent.click(await area.findByRole('tab', { name: setting.ratio.tab.visual }));
    await area.findByRole('textbox', { name: `a ${setting.ratio.column.ratio}` });
    expect(area.queryByRole('button', { name: shell.action.undo })).toBeNull();
  });

  it.each<[string, unknown]>([
    ['no text', { texts: { Notice: 5 }, revisions: {} }],
    ['no revision', { texts: { Notice: 'typed' }, revisions: { Notice: [1] } }],
    ['an option that is gone', { texts: { NoSuchOption: 'typed' }, revisions: {} }],
  ])('leaves an option as it is: %s', async (_, draft) => {
    const { router } = await renderPage('/setting?tab=other', {
      user: root,
      replies: settings,
      drafts: { '/setting#options': draft },
    });
    const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: setting.label.Notice });
    await waitFor(() => expect(field.value).toBe('stored'));
    await act(() => router.navigate('/'));
    await waitFor(() => expect(router.state.location.pathname).toBe('/'));
  });

  it('gives a form back only those lists that hold texts', async () => {
    await renderPage('/token/add', {
      user: person,
      replies: tokens,
      drafts: { '/token/add#form': { typed: { name: 'mine', limitModels: true, models: [5, null] }, seen: {} } },
    });
    const name = await screen.findByLabelText<HTMLInputElement>(token.form.name);
    await waitFor(() => expect(name.value).toBe('mine'));
    expect(screen.queryByText('5')).toBeNull();
  });
});

describe('a restored change of a token’s budget', () => {
  it('is part of the sum that the dialog shows', async () => {
    const token = {
      ...{ id: 9, user_id: 3, name: 'one', status: 1, unlimited_quota: false, remain_quota: 500_000, used_quota: 0 },
      ...{ held_quota: 0, accessed_time: 0, expired_time: -1 },
    };
    await renderPage('/user/edit/3', {
      user: root,
      replies: { ...accounts, 'GET /api/token/user/3': pageOf(token) },
      drafts: { '/user/edit/3#budget-9': { typed: { delta: '250000' }, seen: {} } },
    });
    fireEvent.click(await screen.findByRole('button', { name: user.money.change }));
    const dialog = within(await screen.findByRole('dialog', { name: user.money.changeOf.replace('{{name}}', 'one') }));
    await waitFor(() => expect(dialog.getByLabelText<HTMLInputElement>(user.quota.delta).value).toBe('250000'));
    expect(dialog.getByRole('status').textContent).toMatch(/\$1\.00.*\$0\.50.*\$1\.50/);
  });
});

describe('a form that was being saved when its page was closed', () => {
  const never = () => new Promise(() => undefined);
  const open = (drafts?: Record<string, unknown>) =>
    renderPage('/token/add', { user: person, replies: { ...tokens, 'POST /api/token/': never }, drafts });
  const type = async (value: string) =>
    fireEvent.change(await screen.findByLabelText(token.form.name), { target: { value } });

  it('says that it may have been saved, with a way to look, until it is closed', async () => {
    const page = await open();
    await type('mine');
    fireEvent.click(screen.getByRole('button', { name: shell.action.submit }));
    await waitFor(() => expect(page.network.of('POST', '/api/token/')).toHaveLength(1));
    const again = await open(reload(page));
    expect(await screen.findByText(shell.form.maybeSaved)).toBeTruthy();
    expect(screen.getByRole('link', { name: shell.form.openSaved }).getAttribute('href')).toBe('/token');
    expect(screen.getByLabelText<HTMLInputElement>(token.form.name).value).toBe('mine');
    await open(reload(again));
    expect(await screen.findByText(shell.form.maybeSaved)).toBeTruthy();
  });

  it('says nothing of the kind of a form that was only typed into', async () => {
    const page = await open();
    await type('mine');
    await open(reload(page));
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>(token.form.name).value).toBe('mine'));
    expect(screen.queryByText(shell.form.maybeSaved)).toBeNull();
  });

  it('sends a change of a balance again under the same key, so that it counts once', async () => {
    const edit = (drafts?: Record<string, unknown>) =>
      renderPage('/user/edit/3', { user: root, drafts, replies: { ...accounts, 'PUT /api/user/': never } });
    const submit = async () => {
      const drawer = within(await screen.findByRole('dialog'));
      fireEvent.click(drawer.getByRole('button', { name: shell.action.submit }));
    };
    const field = (label: string) => screen.findByLabelText<HTMLInputElement>(label);
    const page = await edit();
    fireEvent.change(await field(user.quota.delta), { target: { value: '500' } });
    fireEvent.change(await field(user.quota.reason), { target: { value: 'goodwill' } });
    await submit();
    const sent = (view: typeof page) => view.network.of('PUT', '/api/user/');
    await waitFor(() => expect(sent(page)).toHaveLength(1));
    const again = await edit(reload(page));
    await waitFor(async () => expect((await field(user.quota.delta)).value).toBe('500'));
    await submit();
    await waitFor(() => expect(sent(again)).toHaveLength(1));
    expect(sent(again)[0]?.body).toEqual(sent(page)[0]?.body);
    expect(sent(again)[0]?.headers.get('Idempotency-Key')).toBe(sent(page)[0]?.headers.get('Idempotency-Key'));
  });
});
