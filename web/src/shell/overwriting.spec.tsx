import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { texts as shell } from '../app/i18n/zh.js';
import { sessionExpired } from '../api/events.js';
import { userApi } from '../api/user.api.js';
import { signedIn } from '../app/slices/session.js';
import { texts as channelWords } from '../pages/channel/zh.js';
import { texts as redemptionWords } from '../pages/redemption/zh.js';
import { texts as tokenWords } from '../pages/token/zh.js';
import { texts as userWords } from '../pages/user/zh.js';
import type { Call, Replies } from '../testing/fake-fetch.js';
import { json, refusal, success } from '../testing/fake-fetch.js';
import { person, renderPage, root, selfOf } from '../testing/render-page.js';

const noRows = json(success([]), 200, { 'X-Total-Count': '0' });
const noPage = success({ items: [], total: 0, page: 1, page_size: 10 });
type Stored = Record<string, unknown>;

const channel: Stored = {
  ...{ id: 1, type: 1, name: 'one', status: 1, openai_organization: '', base_url: '', other: '', models: 'gpt-4o' },
  ...{ group: 'default', model_mapping: '', status_code_mapping: '', param_override: '', setting: '' },
  ...{ auto_ban: 1, test_model: '', priority: 0, weight: 0, tag: '', created_time: 1, test_time: 0 },
  ...{ response_time: 0, balance: 0, balance_updated_time: 0, used_quota: 0, other_info: '' },
};
const token: Stored = {
  ...{ id: 1, user_id: 1, key: 'k', status: 1, name: 'one', created_time: 1, accessed_time: 0, expired_time: -1 },
  ...{ remain_quota: 500, used_quota: 0, unlimited_quota: false, model_limits_enabled: false, model_limits: '' },
  ...{ allow_ips: '', group: '' },
};
const code: Stored = {
  ...{ id: 1, user_id: 1, key: 'k', status: 1, name: 'one', quota: 500, created_time: 1, redeemed_time: 0 },
  ...{ used_user_id: 0, expired_time: 0 },
};
const user: Stored = {
  ...selfOf({ ...person, id: 1, username: 'one' }),
  ...{ email: '', github_id: '', oidc_id: '', wechat_id: '', telegram_id: '', linux_do_id: '', aff_code: '' },
  ...{ aff_count: 0, aff_quota: 0, aff_history_quota: 0, inviter_id: 0, DeletedAt: null },
};

const world: Replies = {
  'GET /api/channel/search': noRows,
  'GET /api/channel/count': success({ all: 0, enabled: 0, disabled: 0, auto_disabled: 0 }),
  'GET /api/channel/models': success([]),
  'GET /api/channel/models_enabled': success([]),
  'GET /api/group/': success(['default', 'vip']),
  'GET /api/redemption/': noPage,
  'GET /api/redemption/sums': success([]),
  'GET /api/token/': noRows,
  'GET /api/user/': noPage,
  'GET /api/user/1/session': success([]),
  'GET /api/user/self/groups': success({ default: { desc: 'd', ratio: 1 } }),
  'GET /api/user/models': success([]),
};

const forms = [
  { kind: 'channel', stored: channel, label: channelWords.form.name, field: 'name' },
  { kind: 'token', stored: token, label: tokenWords.form.name, field: 'name' },
  { kind: 'redemption', stored: code, label: redemptionWords.form.name, field: 'name' },
  { kind: 'user', stored: user, label: userWords.form.username, field: 'username' },
] as const;
type Form = (typeof forms)[number];

/** A server that compares the expected values with the stored ones, as the real one does. */
async function edit({ kind, stored, label, field }: Form) {
  let now = stored;
  const put = ({ body }: Call) => {
    const { expected = {}, ...change } = body as { expected?: Stored } & Stored;
    if (Object.entries(expected).some(([name, value]) => now[name] !== value)) {
      const code = `${kind}-changed-meanwhile` as const;
      return refusal(code, code, { kind: 'conflict' });
    }
    now = { ...now, ...change };
    return success(now);
  };
  const address = `/${kind}/edit/1`;
  const view = await renderPage(address, {
    user: root,
    replies: { ...world, [`GET /api/${kind}/1`]: () => success(now), [`PUT /api/${kind}/`]: put },
  });
  const drawer = within(await screen.findByRole('dialog'));
  await drawer.findByDisplayValue('one');
  const input = () => drawer.getByLabelText<HTMLInputElement>(label);
  const sent = () => view.network.of('PUT', `/api/${kind}/`).map(({ body }) => body as Stored);
  return {
    ...{ ...view, address, drawer, input, sent, now: () => now },
    type: (text: string) => void fireEvent.change(input(), { target: { value: text } }),
    press: (name: string) => void fireEvent.click(drawer.getByRole('button', { name })),
    /** Changes the stored object as another user would. */
    meanwhile: (change: Stored) => void (now = { ...now, ...change }),
    said: () => drawer.findByText(new RegExp(`${kind}-changed-meanwhile`)),
    named: (value: string) =>
      drawer.findByText(shell.conflict.field.replace('{{label}}', label).replace('{{value}}', value)),
    field,
  };
}

describe('a form whose item another user changed meanwhile', () => {
  it.each(forms)('overwrites a $kind only after a confirmation', async (form) => {
    const page = await edit(form);
    page.type('mine');
    page.meanwhile({ [form.field]: 'theirs' });
    page.press(shell.action.submit);
    await page.said();
    expect(await page.named('theirs')).toBeTruthy();
    expect(page.input().value).toBe('mine');
    expect(page.now()).toMatchObject({ [form.field]: 'theirs' });
    page.press(shell.conflict.overwrite);
    await waitFor(() => expect(page.now()).toMatchObject({ [form.field]: 'mine' }));
    expect(page.sent().map(({ expected }) => expected)).toEqual([{ [form.field]: 'one' }, { [form.field]: 'theirs' }]);
    await waitFor(() => expect(page.router.state.location.pathname).toBe(`/${form.kind}`));
  });

  it.each(forms)('takes the stored values of a $kind on request', async (form) => {
    const page = await edit(form);
    page.type('mine');
    page.meanwhile({ [form.field]: 'theirs' });
    page.press(shell.action.submit);
    await page.named('theirs');
    page.press(shell.conflict.take);
    await waitFor(() => expect(page.input().value).toBe('theirs'));
    expect(page.drawer.queryByText(new RegExp(`${form.kind}-changed-meanwhile`))).toBeNull();
    page.press(shell.action.submit);
    expect(await screen.findByText(shell.form.nothingChanged)).toBeTruthy();
  });

  it('saves fields that the other user did not change without a warning', async () => {
    const page = await edit(forms[0]);
    page.type('mine');
    page.meanwhile({ priority: 7 });
    page.press(shell.action.submit);
    await waitFor(() => expect(page.now()).toMatchObject({ name: 'mine', priority: 7 }));
  });

  it('sends the values seen when typing began, not those refetched since', async () => {
    const page = await edit(forms[3]);
    page.type('mine');
    page.meanwhile({ username: 'theirs', group: 'vip' });
    const asked = page.network.of('GET', '/api/user/1').length;
    act(() => void page.store.dispatch(userApi.util.invalidateTags(['User'])));
    await waitFor(() => expect(page.network.of('GET', '/api/user/1').length).toBeGreaterThan(asked));
    await waitFor(() => expect(page.store.getState().api.queries['getUser(1)']?.data).toMatchObject({ group: 'vip' }));
    expect(page.input().value).toBe('mine');
    page.press(shell.action.submit);
    await page.said();
    expect(page.sent()).toEqual([{ id: 1, username: 'mine', expected: { username: 'one' } }]);
  });

  it('shows refetched values while nothing is typed', async () => {
    const page = await edit(forms[3]);
    page.meanwhile({ username: 'theirs' });
    act(() => void page.store.dispatch(userApi.util.invalidateTags(['User'])));
    await waitFor(() => expect(page.input().value).toBe('theirs'));
  });

  it('still sends them after the login expired meanwhile', async () => {
    const page = await edit(forms[1]);
    page.type('mine');
    act(() => void page.store.dispatch(sessionExpired()));
    await waitFor(() => expect(page.router.state.location.pathname).toBe('/login'));
    page.meanwhile({ name: 'theirs' });
    act(() => void page.store.dispatch(signedIn(root)));
    await act(() => page.router.navigate(page.address));
    const drawer = within(await screen.findByRole('dialog'));
    await drawer.findByDisplayValue('mine');
    fireEvent.click(drawer.getByRole('button', { name: shell.action.submit }));
    await drawer.findByText(/token-changed-meanwhile/);
    expect(page.sent()).toEqual([{ id: 1, name: 'mine', expected: { name: 'one' } }]);
  });
});
