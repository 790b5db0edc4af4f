import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { Status } from '@tollgate/contracts/api/status';
import { defaultOptions, isSecret, optionKeys } from '@tollgate/contracts/options/index';
import { texts as shell } from '../app/i18n/zh.js';
import { texts as channelWords } from '../pages/channel/zh.js';
import { texts as personal } from '../pages/personal/zh.js';
import { texts as redemption } from '../pages/redemption/zh.js';
import { texts as setting } from '../pages/setting/zh.js';
import { texts as token } from '../pages/token/zh.js';
import { texts as topup } from '../pages/topup/zh.js';
import { texts as user } from '../pages/user/zh.js';
import type { Replies } from '../testing/fake-fetch.js';
import { json, refusal, success } from '../testing/fake-fetch.js';
import { person, renderPage, root, selfOf } from '../testing/render-page.js';

const REQUEST = 'req-of-the-refusal';
const REASON = 'not like this';
/** An internal error of the server: the console shows its own text for it and the request id. */
const broken = json(refusal('x', 'internal', { kind: 'internal' }), 500, { 'X-Oneapi-Request-Id': REQUEST });

const noRows = json(success([]), 200, { 'X-Total-Count': '0' });
const noPage = success({ items: [], total: 0, page: 1, page_size: 10 });
const channel = {
  ...{ id: 1, type: 1, name: 'one', status: 1, openai_organization: null, base_url: '', other: '', models: 'gpt-4o' },
  ...{ group: 'default', model_mapping: null, status_code_mapping: null, param_override: null, setting: null },
  ...{ auto_ban: 1, test_model: null, priority: 0, weight: 0, tag: null, created_time: 1, test_time: 0 },
  ...{ response_time: 0, balance: 0, balance_updated_time: 0, used_quota: 0, other_info: '' },
};
const bob = {
  ...selfOf(person),
  ...{ email: '', github_id: '', oidc_id: '', wechat_id: '', telegram_id: '', linux_do_id: '', aff_code: '' },
  ...{ aff_count: 2, aff_quota: 900_000, aff_history_quota: 900_000, inviter_id: 0, DeletedAt: null, quota: 500_000 },
};
const options = success(
  optionKeys.map((key) =>
    isSecret(key)
      ? { key, value: '', revision: 0, secret: true, is_set: false }
      : { key, value: defaultOptions[key], revision: 3 },
  ),
);
const world: Replies = {
  'GET /api/channel/search': noRows,
  'GET /api/channel/count': success({ all: 0, enabled: 0, disabled: 0, auto_disabled: 0 }),
  'GET /api/channel/models': success([]),
  'GET /api/channel/models_enabled': success([]),
  'GET /api/channel/1': success(channel),
  'GET /api/group/': success(['default']),
  'GET /api/option/': options,
  'GET /api/redemption/': noPage,
  'GET /api/redemption/sums': success([]),
  'GET /api/token/': noRows,
  'GET /api/user/': noPage,
  'GET /api/user/3': success(bob),
  'GET /api/user/3/session': success([]),
  'GET /api/user/self': success({ ...bob, ...root }),
  'GET /api/user/self/groups': success({}),
  'GET /api/user/self/2fa': success({ totp: false, passkeys: 0, recovery_codes: 0, required: false }),
  'GET /api/user/self/passkey': success([]),
  'GET /api/user/self/session': success([]),
  'GET /api/user/models': success([]),
  'GET /api/user/aff': success('AbC1'),
  'GET /api/delivery/self': noPage,
  'GET /api/delivery/': noPage,
  'GET /api/topup/self': noPage,
  'POST /api/user/amount': success('36.50'),
};

type Scope = ReturnType<typeof within>;
const type = (field: HTMLElement, value: string): void => void fireEvent.change(field, { target: { value } });
const press = (scope: Scope, name: string | RegExp): void => void fireEvent.click(scope.getByRole('button', { name }));
const submit = (scope: Scope): void => press(scope, shell.action.submit);
const drawer = async (): Promise<Scope> => within(await screen.findByRole('dialog'));
const card = async (name: string): Promise<Scope> => within(await screen.findByRole('region', { name }));

interface Form {
  name: string;
  address: string;
  call: string;
  /** The server's name of a field, and its label in the form. */
  refused?: { path: string; label: string | RegExp; isList?: boolean; isSwitch?: boolean; isNumber?: boolean };
  status?: Partial<Status>;
  /** Fills the form in, submits it and returns the element in which the refusal must be shown. */
  send: () => Promise<Scope>;
}

const forms: Form[] = [
  {
    name: 'a new channel',
    address: '/channel/add',
    call: 'POST /api/channel/',
    refused: { path: 'setting.models[0].price', label: channelWords.form.setting },
    send: async () => {
      const form = await drawer();
      type(form.getByLabelText(channelWords.form.name), 'one');
      type(form.getByLabelText(channelWords.form.key), 'sk-1');
      submit(form);
      return form;
    },
  },
  {
    name: 'a channel',
    address: '/channel/edit/1',
    call: 'PUT /api/channel/',
    refused: { path: 'group', label: channelWords.form.groups, isList: true },
    send: async () => {
      const form = await drawer();
      await form.findByDisplayValue('one');
      type(form.getByLabelText(channelWords.form.name), 'two');
      submit(form);
      return form;
    },
  },
  {
    name: 'a token',
    address: '/token/add',
    call: 'POST /api/token/',
    refused: { path: 'allow_ips', label: token.form.ips },
    send: async () => {
      const form = await drawer();
      type(form.getByLabelText(token.form.name), 'mine');
      submit(form);
      return form;
    },
  },
  {
    name: 'a new user',
    address: '/user/add',
    call: 'POST /api/user/',
    refused: { path: 'display_name', label: user.form.displayName },
    send: async () => {
      const form = await drawer();
      type(form.getByLabelText(user.form.username), 'eve');
      type(form.getByLabelText(user.form.password), 'eve has a password');
      submit(form);
      return form;
    },
  },
  {
    name: 'a user',
    address: '/user/edit/3',
    call: 'PUT /api/user/',
    refused: { path: 'username', label: user.form.username },
    send: async () => {
      const form = await drawer();
      await form.findByDisplayValue('bob');
      type(form.getByLabelText(user.form.displayName), 'Robert');
      submit(form);
      return form;
    },
  },
  {
    name: 'codes',
    address: '/redemption/add',
    call: 'POST /api/redemption/',
    refused: { path: 'expired_time', label: redemption.form.expiry },
    send: async () => {
      const form = await drawer();
      type(form.getByLabelText(redemption.form.name), 'gift');
      submit(form);
      return form;
    },
  },
  {
    name: 'a card of the settings',
    address: '/setting',
    call: 'PUT /api/option/',
    send: async () => {
      const form = await card(setting.card.general);
      type(form.getByLabelText(setting.label.RetryTimes), '2');
      press(form, setting.saveCard.general);
      return form;
    },
  },
  {
    name: 'several options at once',
    address: '/setting',
    call: 'PUT /api/option/',
    send: async () => {
      const form = await card(setting.card.general);
      type(form.getByLabelText(setting.label.RetryTimes), '2');
      fireEvent.click(form.getByLabelText(setting.label.DefaultCollapseSidebar));
      press(form, setting.saveCard.general);
      return form;
    },
  },
  {
    name: 'an option with a button of its own',
    address: '/setting?tab=other',
    call: 'PUT /api/option/',
    refused: { path: 'value', label: setting.label.SystemName },
    send: async () => {
      const form = await card(setting.card.look);
      type(form.getByLabelText(setting.label.SystemName), 'Mine');
      press(form, setting.saveField.SystemName);
      return form;
    },
  },
  {
    name: 'a switch that is saved at once',
    address: '/setting?tab=system',
    call: 'PUT /api/option/',
    send: async () => {
      const form = await card(setting.card.login);
      fireEvent.click(form.getByLabelText(setting.label.RegisterEnabled));
      return form;
    },
  },
  {
    name: 'factors of groups',
    address: '/setting',
    call: 'PUT /api/option/',
    send: async () => {
      const form = await card(setting.card.group);
      type(form.getByLabelText(setting.label.GroupRatio), '{"default": 2}');
      press(form, setting.saveCard.group);
      return form;
    },
  },
  {
    name: 'prices of models',
    address: '/setting',
    call: 'PUT /api/option/',
    send: async () => {
      const form = await card(setting.card.ratio);
      fireEvent.click(await form.findByRole('tab', { name: setting.ratio.tab.visual }));
      type(await form.findByLabelText(setting.ratio.search), 'gpt-4o-mini-2024-07-18');
      type(await form.findByLabelText(`gpt-4o-mini-2024-07-18 ${setting.ratio.column.ratio}`), '9');
      press(form, setting.ratio.apply);
      return form;
    },
  },
  {
    name: 'the own names',
    address: '/personal',
    call: 'PUT /api/user/self',
    refused: { path: 'display_name', label: personal.profile.displayName },
    send: async () => {
      const form = await card(personal.profile.title);
      type(await form.findByLabelText(personal.profile.displayName), 'Robert');
      press(form, personal.save);
      return form;
    },
  },
  {
    name: 'notifications',
    address: '/personal',
    call: 'PUT /api/user/setting',
    refused: { path: 'notification_email', label: personal.notify.email },
    send: async () => {
      const form = await card(personal.notify.title);
      type(await form.findByLabelText(personal.notify.email), 'me@example.com');
      press(form, personal.save);
      return form;
    },
  },
  {
    name: 'the choice of models without a price',
    address: '/personal',
    call: 'PUT /api/user/setting',
    refused: { path: 'accept_unset_model_ratio_model', label: personal.price.accept, isSwitch: true },
    send: async () => {
      const form = await card(personal.price.title);
      fireEvent.click(await form.findByLabelText(personal.price.accept));
      press(form, personal.save);
      return form;
    },
  },
  {
    name: 'the own password',
    address: '/personal',
    call: 'PUT /api/user/self',
    refused: { path: 'password', label: personal.security.new },
    send: async () => {
      press(await card(personal.security.title), personal.security.password);
      const form = await drawer();
      type(form.getByLabelText(personal.security.original), 'bob has a password');
      type(form.getByLabelText(personal.security.new), 'another password');
      type(form.getByLabelText(personal.security.confirm), 'another password');
      press(form, personal.security.password);
      return form;
    },
  },
  {
    name: 'a transfer',
    address: '/personal',
    call: 'POST /api/user/aff_transfer',
    refused: { path: 'quota', label: /划转额度/ },
    send: async () => {
      press(await card(personal.invite.title), personal.invite.transfer);
      const form = await drawer();
      press(form, personal.invite.transfer);
      return form;
    },
  },
  {
    name: 'a payment',
    address: '/topup',
    call: 'POST /api/user/pay',
    refused: { path: 'amount', label: topup.pay.amount, isNumber: true },
    status: { enable_online_topup: true },
    send: async () => {
      const form = await card(topup.pay.title);
      type(form.getByLabelText(topup.pay.amount), '5');
      press(form, topup.pay.zfb);
      press(within(await screen.findByRole('alertdialog')), topup.pay.yes);
      return within(document.body);
    },
  },
  {
    name: 'a code of a gift',
    address: '/topup',
    call: 'POST /api/user/topup',
    refused: { path: 'key', label: topup.redeem.code },
    send: async () => {
      const form = await card(topup.redeem.title);
      type(form.getByLabelText(topup.redeem.code), 'abc');
      press(form, topup.redeem.run);
      return form;
    },
  },
];

describe('a refused save', () => {
  it.each(forms)('shows the request id in its form: $name', async ({ address, call, send, status }) => {
    await renderPage(address, { user: root, status, replies: { ...world, [call]: broken } });
    const form = await send();
    expect((await form.findAllByText(new RegExp(REQUEST))).length).toBeGreaterThan(0);
  });

  const named = forms.flatMap(({ refused, ...form }) => (refused ? [{ ...form, ...refused }] : []));
  it.each(named)(
    'focuses the field that the error names: $name',
    async ({ address, call, send, status, path, label, ...field }) => {
      const fields = [{ path, code: 'invalid', params: { reason: REASON } }];
      const replies = { ...world, [call]: refusal(REASON, 'invalid-input', { fields }) };
      const { network } = await renderPage(address, { user: root, status, replies });
      const form = await send();
      const input = form.getByLabelText(label);
      await waitFor(() => expect(input.getAttribute('aria-invalid')).toBe('true'));
      expect(document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent).toContain(REASON);
      await waitFor(() => expect(document.activeElement).toBe(input));
      expect(form.queryAllByRole('alert').filter((alert: HTMLElement) => alert.textContent.includes(REASON))).toEqual(
        [],
      );

      if (field.isSwitch) fireEvent.click(input);
      else if (field.isList) fireEvent.keyDown(input, { key: 'Backspace' });
      else type(input, field.isNumber ? '7' : 'other');
      await waitFor(() => expect(input.getAttribute('aria-invalid')).not.toBe('true'));
      expect(network.calls.filter((one) => `${one.method} ${one.path}` === call)).toHaveLength(1);
    },
  );
});
