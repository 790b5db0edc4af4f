import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { SessionUser } from '@tollgate/contracts/api/user';
import { texts as shell } from '../../app/i18n/zh.js';
import { refusal, success } from '../../testing/fake-fetch.js';
import { narrowWindow } from '../../testing/narrow-window.js';
import { admin, person, renderPage, root, selfOf } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

const whole = (user: SessionUser, more: object = {}) => ({
  ...selfOf(user),
  email: '',
  github_id: '',
  oidc_id: '',
  wechat_id: '',
  telegram_id: '',
  linux_do_id: '',
  aff_code: '',
  aff_count: 2,
  aff_quota: 0,
  aff_history_quota: 500_000,
  inviter_id: 0,
  DeletedAt: null,
  ...more,
});
const banned = { ...person, id: 4, username: 'eve', status: 2 };
const gone = { ...person, id: 5, username: 'old' };
const pageOf = (...items: object[]) => success({ items, total: items.length, page: 1, page_size: 10 });

const session = {
  id: 8,
  user_agent: 'Firefox on Linux',
  address: '203.0.113.9',
  created_at: 1_700_000_000,
  last_seen_at: 1_700_000_000,
  current: false,
};

async function open(address = '/user', user = root, replies: Record<string, unknown> = {}) {
  const view = await renderPage(address, {
    user,
    replies: {
      'GET /api/user/': pageOf(
        whole(root),
        whole(admin),
        whole(person),
        whole(banned),
        whole(gone, { DeletedAt: '2026-01-01T00:00:00Z' }),
      ),
      'GET /api/user/search': pageOf(),
      [`GET /api/user/${root.id}`]: success(whole(root)),
      [`GET /api/user/${root.id}/session`]: success([]),
      'GET /api/user/3': success(whole(person, { github_id: 'gh-3', two_factor: true })),
      'GET /api/user/3/session': success([session]),
      'DELETE /api/user/3/session/8': success(),
      'DELETE /api/user/3/session': success(),
      'DELETE /api/user/3/binding/github': success(),
      'DELETE /api/user/3/2fa': success(),
      'GET /api/group/': success(['default', 'vip']),
      'PUT /api/user/': success(),
      'POST /api/user/': success(),
      'POST /api/user/manage': success({ role: 1, status: 2 }),
      ...replies,
    },
  });
  // An open drawer hides the page behind it from screen readers, hence `hidden`.
  await screen.findByRole('heading', { level: 1, name: zh.title, hidden: true });
  return view;
}
const rowOf = async (name: string) => {
  const cell = await screen.findByText(name, { selector: 'td *, th *, td, th' });
  return within(cell.closest('tr')!);
};
const menuOf = async (name: string) => {
  fireEvent.click((await rowOf(name)).getByRole('button', { name: shell.action.more }));
  return within(await screen.findByRole('menu'));
};

describe('users', () => {
  it('shows users with balance, role and state, and no actions for a deleted one', async () => {
    await open();
    expect((await rowOf('eve')).getByText(shell.status.banned)).toBeTruthy();
    expect((await rowOf('ann')).getByText(shell.shell.role.admin)).toBeTruthy();
    const old = await rowOf('old');
    expect(old.getByText(shell.status.cancelled)).toBeTruthy();
    expect(old.queryByRole('button', { name: shell.action.edit })).toBeNull();
  });

  it('shows id and role of a user also on a phone', async () => {
    const widen = narrowWindow();
    try {
      await open();
      const card = within((await screen.findByText('ann')).closest('li')!);
      expect(card.getByText('#2')).toBeTruthy();
      expect(card.getByText(shell.shell.role.admin)).toBeTruthy();
      expect(card.getByText(shell.status.activated)).toBeTruthy();
    } finally {
      widen();
    }
  });

  it('shows at an action why the role forbids it', async () => {
    await open('/user', admin);
    const menu = await menuOf('bob');
    const promote = menu.getByRole('menuitem', { name: new RegExp(zh.action.promoteUser) });
    expect(promote.getAttribute('aria-disabled')).toBe('true');
    expect(promote.textContent).toContain(zh.deny['promotion-needs-root']);
  });

  it('disables a user after showing the consequences', async () => {
    const { network } = await open();
    fireEvent.click((await menuOf('bob')).getByRole('menuitem', { name: zh.action.disableUser }));
    const dialog = within(await screen.findByRole('alertdialog'));
    expect(dialog.getByText(zh.ask.disable.body.replace('{{name}}', 'bob'))).toBeTruthy();
    fireEvent.click(dialog.getByRole('button', { name: zh.action.disableUser }));
    await waitFor(() =>
      expect(network.of('POST', '/api/user/manage').map(({ body }) => body)).toEqual([{ id: 3, action: 'disable' }]),
    );
    await waitFor(() => expect(network.of('GET', '/api/user/')).toHaveLength(2));
  });

  it('erases a user only after the name was typed, also one who was deleted before', async () => {
    const { network } = await open('/user', root, { 'POST /api/user/5/erase': success() });
    fireEvent.click((await rowOf('old')).getByText(zh.action.eraseUser));
    const dialog = within(await screen.findByRole('alertdialog'));
    const go = dialog.getByText(zh.action.eraseUser, { selector: 'button' });
    expect(go.getAttribute('aria-disabled')).toBe('true');
    fireEvent.change(dialog.getByRole('textbox'), { target: { value: 'old' } });
    fireEvent.click(go);
    await waitFor(() =>
      expect(network.of('POST', '/api/user/5/erase').map(({ body }) => body)).toEqual([{ username: 'old' }]),
    );
  });

  it('deletes only after the name was typed, and shows a refusal in the dialog', async () => {
    const { network } = await open('/user', root, { 'POST /api/user/manage': refusal('Not this one', 'x') });
    fireEvent.click((await menuOf('bob')).getByRole('menuitem', { name: zh.action.deleteUser }));
    const dialog = within(await screen.findByRole('alertdialog'));
    const go = dialog.getByRole('button', { name: zh.action.deleteUser });
    expect(go.getAttribute('aria-disabled')).toBe('true');
    // A click on the disabled button only says what is missing.
    fireEvent.click(go);
    const toasts = screen.getByRole('region', { name: shell.toast.region });
    await waitFor(() => expect(toasts.textContent).toContain(shell.confirm.type.replace('{{text}}', 'bob')));
    expect(network.of('POST', '/api/user/manage')).toEqual([]);
    fireEvent.change(dialog.getByRole('textbox'), { target: { value: 'bob' } });
    fireEvent.click(go);
    expect(await dialog.findByText('Not this one')).toBeTruthy();
    expect(network.of('POST', '/api/user/manage')[0]?.body).toEqual({ id: 3, action: 'delete' });
  });

  it('shows no fields of one person at the address of another', async () => {
    const { router } = await open('/user/edit/3', root, {
      'GET /api/user/4': refusal('failed', 'user-not-found'),
      'GET /api/user/4/session': success([]),
    });
    const name = () => screen.queryByLabelText<HTMLInputElement>(zh.form.displayName);
    await waitFor(() => expect(name()?.value).toBe('Bob'));
    await act(() => router.navigate('/user/edit/4'));
    await within(await screen.findByRole('dialog')).findByRole('button', { name: shell.action.retry });
    expect(name()).toBeNull();
  });

  it('edits by address, and sends the balance as a difference with its reason', async () => {
    const { network, router } = await open('/user/edit/3');
    const drawer = within(await screen.findByRole('dialog'));
    const delta = await drawer.findByLabelText(zh.quota.delta);
    fireEvent.change(delta, { target: { value: '-250000' } });
    expect(await drawer.findByText(/\$1\.00.*\u2212\$0\.50.*\$0\.50/)).toBeTruthy();
    const submit = () => fireEvent.click(drawer.getByRole('button', { name: shell.action.submit }));
    submit();
    expect(await drawer.findByText(zh.quota.noReason)).toBeTruthy();
    fireEvent.change(drawer.getByLabelText(zh.quota.reason), { target: { value: 'refund' } });
    submit();
    await waitFor(() =>
      expect(network.of('PUT', '/api/user/')[0]?.body).toEqual({ id: 3, quota_delta: -250_000, reason: 'refund' }),
    );
    expect(network.of('PUT', '/api/user/')[0]?.headers.get('Idempotency-Key')).toMatch(/^[0-9a-f]{32}$/);
    await waitFor(() => expect(router.state.location.pathname).toBe('/user'));
  });

  it('leads to the personal settings for the own password, and has a field for that of another user', async () => {
    const { router } = await open('/user/edit/3');
    expect(await within(await screen.findByRole('dialog')).findByLabelText(zh.form.password)).toBeTruthy();
    await act(() => router.navigate(`/user/edit/${root.id}`));
    const link = await screen.findByRole('link', { name: zh.form.toPersonal });
    expect(link.getAttribute('href')).toBe('/personal');
    expect(screen.queryByLabelText(zh.form.password)).toBeNull();
  });

  it('ends sessions and removes bindings and the second factor after a confirmation', async () => {
    const { network } = await open('/user/edit/3');
    const drawer = within(await screen.findByRole('dialog'));
    expect(await drawer.findByText(/203\.0\.113\.9/)).toBeTruthy();
    const confirmed = async (button: RegExp | string, confirm: string, path: string) => {
      fireEvent.click(drawer.getByRole('button', { name: button }));
      const dialog = within(await screen.findByRole('alertdialog'));
      expect(network.of('DELETE', path)).toEqual([]);
      fireEvent.click(dialog.getByRole('button', { name: confirm }));
      await waitFor(() => expect(network.of('DELETE', path)).toHaveLength(1));
      await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    };
    await confirmed(`${shell.sessions.end} Firefox · Linux`, zh.access.end, '/api/user/3/session/8');
    await confirmed(zh.access.endAll, zh.access.endAll, '/api/user/3/session');
    await confirmed(new RegExp(`^${zh.access.unbind} `), zh.access.unbind, '/api/user/3/binding/github');
    await confirmed(zh.access.removeFactor, zh.access.removeFactor, '/api/user/3/2fa');
  });

  it('reports that nothing was changed', async () => {
    const { network } = await open('/user/edit/3');
    const drawer = within(await screen.findByRole('dialog'));
    await drawer.findByLabelText(zh.quota.delta);
    fireEvent.click(drawer.getByRole('button', { name: shell.action.submit }));
    expect(await screen.findByText(shell.form.nothingChanged)).toBeTruthy();
    expect(network.of('PUT', '/api/user/')).toEqual([]);
  });

  it('creates a user after checking the fields', async () => {
    const { network } = await open('/user/add');
    const drawer = within(await screen.findByRole('dialog'));
    const submit = () => fireEvent.click(drawer.getByRole('button', { name: shell.action.submit }));
    submit();
    expect(await drawer.findAllByText(zh.form.noUsername)).toHaveLength(2);
    fireEvent.change(drawer.getByLabelText(zh.form.username), { target: { value: 'carol' } });
    fireEvent.change(drawer.getByLabelText(zh.form.password), { target: { value: 'long-enough' } });
    submit();
    await screen.findByText(zh.created);
    expect(network.of('POST', '/api/user/')[0]?.body).toEqual({
      username: 'carol',
      display_name: '',
      password: 'long-enough',
    });
  });

  it('searches by the address and names the searched fields when nothing is found', async () => {
    const { network } = await open('/user?keyword=zz&group=vip');
    expect(await screen.findByText(zh.search.fields)).toBeTruthy();
    expect(screen.getByText(/：zz、.*：vip$/)).toBeTruthy();
    const [call] = network.of('GET', '/api/user/search');
    expect(Object.fromEntries(call!.query)).toEqual({ keyword: 'zz', group: 'vip', p: '1', page_size: '10' });
  });
});
