import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { sessionExpired } from '../api/events.js';
import { texts as shell } from '../app/i18n/zh.js';
import { signedIn } from '../app/slices/session.js';
import { texts as approval } from '../pages/approval/zh.js';
import { texts as channel } from '../pages/channel/zh.js';
import { texts as invoice } from '../pages/invoice/zh.js';
import { texts as statement } from '../pages/statement/zh.js';
import { texts as topup } from '../pages/topup/zh.js';
import type { Replies } from '../testing/fake-fetch.js';
import { success } from '../testing/fake-fetch.js';
import { renderPage, root } from '../testing/render-page.js';

const pageOf = (...items: unknown[]) => success({ items, total: items.length, page: 1, page_size: 10 });
const order = {
  ...{ id: 1, user_id: 3, trade_no: 'T1', provider: 'epay', payment_method: 'alipay', status: 'paid', amount: 1 },
  ...{ quota: 500_000, money: '7.30', currency: 'CNY', create_time: 1, expire_time: 2, complete_time: 2 },
  refund_time: 0,
};
const request = {
  ...{ id: 4, kind: 'adjustment', status: 'pending', user_id: 3, token_id: 0, change: 500, subject: 'bob' },
  ...{ reason: 'goodwill', requester_id: 2, created_time: 1_795_000_000, expire_time: 4_795_100_000 },
  ...{ decider_id: 0, decided_time: 0, note: '' },
};
const totals = {
  ...{ requests: 0, prompt_tokens: 0, completion_tokens: 0, sales: 0, cost: 0, margin: 0, costed: 0, unattributed: 0 },
  ...{ topped_up: 0, granted: 0, refunded: 0, other: 0, consumed: 0, credited: 0, debited: 0, change: 0 },
};
const account = {
  ...{ id: 5, type: 1, name: 'one', status: 1, openai_organization: null, base_url: '', other: '' },
  ...{ models: 'gpt-4o', group: 'default', model_mapping: null, status_code_mapping: null, param_override: null },
  ...{ setting: null, auto_ban: 1, test_model: null, priority: 0, weight: 0, tag: null, created_time: 1 },
  ...{ test_time: 0, response_time: 0, balance: 0, balance_updated_time: 0, used_quota: 0, other_info: '' },
};
const costsOf = (version: number) => ({
  version,
  current: [{ id: version, channel_id: 5, model: 'gpt-4o', terms: { ratio: 0.5 }, since: 1, actor_id: 1 }],
  history: [],
});

interface Case {
  what: string;
  address: string;
  replies: Replies;
  /** Name of the button that opens the dialog. */
  button: string;
  field: string;
  typed: string;
}

const cases: Case[] = [
  {
    ...{ what: 'a refund', address: '/topup?orders=all', button: topup.orders.refund },
    ...{ field: topup.refund.reason, typed: 'paid twice' },
    replies: { 'GET /api/user/topup': pageOf(order) },
  },
  {
    ...{ what: 'a refusal', address: '/approval', button: approval.refuse, field: approval.note, typed: 'asked twice' },
    replies: { 'GET /api/approval': pageOf(request) },
  },
  {
    ...{ what: 'the end of a period', address: '/statement', button: statement.periods.close },
    ...{ field: statement.periods.note, typed: 'as agreed with the auditors' },
    replies: {
      'GET /api/statement': success({
        ...{ items: [], total: 0, page: 1, page_size: 10 },
        totals,
        opening: 0,
        closing: 0,
      }),
      'GET /api/period': pageOf(),
    },
  },
  {
    ...{ what: 'an invoice', address: '/invoice', button: invoice.import, field: invoice.form.name, typed: 'January' },
    replies: { 'GET /api/invoice': pageOf() },
  },
  {
    ...{ what: 'cost prices', address: '/channel/edit/5', button: channel.cost.edit },
    ...{ field: channel.cost.title, typed: '{"gpt-4o":{"ratio":0.7}}' },
    replies: {
      'GET /api/channel/search': success([account]),
      'GET /api/channel/count': success({ all: 1, enabled: 1, disabled: 0, auto_disabled: 0 }),
      'GET /api/group/': success(['default']),
      'GET /api/channel/models': success([]),
      'GET /api/channel/5': success(account),
      'GET /api/cost': () => success(costsOf(3)),
    },
  },
];

async function openDialog(button: string) {
  const opener = () => screen.findAllByRole('button', { name: button, hidden: true });
  await waitFor(async () => expect((await opener())[0]?.getAttribute('disabled')).toBeNull());
  fireEvent.click((await opener())[0]!);
}
const fieldOf = (name: string) => screen.findByLabelText<HTMLInputElement>(name, { selector: 'input, textarea' });

describe('text typed into the dialog of', () => {
  it.each(cases)('$what is protected by a confirmation before "back", and kept when the login expires', async (one) => {
    const { router, store } = await renderPage('/about', {
      user: root,
      replies: { 'GET /api/about': success(''), ...one.replies },
    });
    await act(() => router.navigate(one.address));
    await openDialog(one.button);
    fireEvent.change(await fieldOf(one.field), { target: { value: one.typed } });

    await act(() => router.navigate(-1));
    const question = await screen.findByRole('alertdialog', { name: shell.form.discardTitle });
    fireEvent.click(within(question).getByRole('button', { name: shell.action.cancel }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    expect((await fieldOf(one.field)).value).toBe(one.typed);

    act(() => void store.dispatch(sessionExpired()));
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
    act(() => void store.dispatch(signedIn(root)));
    await act(() => router.navigate(one.address));
    await openDialog(one.button);
    await waitFor(async () => expect((await fieldOf(one.field)).value).toBe(one.typed));
    // A restored draft counts as typed text.
    fireEvent.click(screen.getByRole('button', { name: shell.action.cancel }));
    expect(await screen.findByRole('alertdialog', { name: shell.form.discardTitle })).toBeTruthy();
  });
});
