import { afterEach, describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { texts as command } from './command/zh.js';
import { texts as shellEn } from '../app/i18n/en.js';
import { texts as shell } from '../app/i18n/zh.js';
import { selectLayer } from '../app/slices/layer.js';
import { toastShown } from '../app/slices/toasts.js';
import { texts as playground } from '../pages/playground/zh.js';
import { texts as personal } from '../pages/personal/zh.js';
import { texts as setting } from '../pages/setting/zh.js';
import { texts as setup } from '../pages/setup/zh.js';
import { texts as token } from '../pages/token/zh.js';
import { json, refusal, success } from '../testing/fake-fetch.js';
import { narrowWindow } from '../testing/narrow-window.js';
import { admin, person, renderPage, root, selfOf } from '../testing/render-page.js';

const row = {
  id: 1,
  user_id: 3,
  key: 'abc',
  status: 1,
  name: 'mine',
  created_time: 1_795_000_000,
  accessed_time: 0,
  expired_time: -1,
  remain_quota: 5,
  used_quota: 0,
  unlimited_quota: false,
  model_limits_enabled: false,
  model_limits: '',
  allow_ips: '',
  group: '',
};
const refused = json(refusal('No', 'failed'), 200, { 'X-Oneapi-Request-Id': 'req-9' });
const tokens = {
  'GET /api/token/': json(success([row]), 200, { 'X-Total-Count': '1' }),
  'GET /api/user/self/groups': success({}),
  'GET /api/user/models': success([]),
  'POST /api/token/': refused,
  'DELETE /api/token/1/': refused,
};

describe('toasts', () => {
  it('are announced in a live region that exists already, also the first one and beside an open drawer', async () => {
    const { store } = await renderPage('/token/add', { user: person, replies: tokens });
    await screen.findByRole('dialog', { name: token.create });
    const region = document.querySelector(`[aria-label="${shell.toast.region}"]`);
    expect(region?.getAttribute('aria-live')).toBe('polite');
    expect(region?.textContent).toBe('');
    act(() => void store.dispatch(toastShown({ severity: 'success', key: 'copy.done' })));
    const line = await screen.findByText(shell.copy.done);
    expect(line.closest('[aria-live]')).toBe(region);
    // A live region that is inserted together with its text would not be announced.
    expect(line.closest('[role="status"]')).toBeNull();
    await waitFor(() => expect(line.closest('[aria-hidden="true"]')).toBeNull());
  });
});

describe('Escape', () => {
  it('closes the newest toast, unless what has the focus uses the key', async () => {
    const { store } = await renderPage('/about', { user: person });
    for (const key of ['copy.done', 'chat.noToken'] as const) {
      act(() => void store.dispatch(toastShown({ severity: 'error', key })));
    }
    await screen.findByText(shell.chat.noToken);
    const field = document.body.appendChild(document.createElement('input'));
    field.focus();
    fireEvent.keyDown(field, { key: 'Escape' });
    field.remove();
    fireEvent.keyDown(document.body, { key: 'Enter' });
    expect(screen.getByText(shell.chat.noToken)).toBeTruthy();
    fireEvent.keyDown(document.body, { key: 'Escape' });
    expect(screen.queryByText(shell.chat.noToken)).toBeNull();
    expect(screen.getByText(shell.copy.done)).toBeTruthy();
  });
});

describe('a browser without a network', () => {
  afterEach(() => void Reflect.deleteProperty(navigator, 'onLine'));
  const become = (event: 'online' | 'offline') => {
    Object.defineProperty(navigator, 'onLine', { configurable: true, value: event === 'online' });
    act(() => void window.dispatchEvent(new Event(event)));
  };

  it('is named above the page until the network is back', async () => {
    await renderPage('/about', { user: person });
    expect(screen.queryByText(shell.shell.offline)).toBeNull();
    become('offline');
    expect(screen.getByText(shell.shell.offline).closest('[role="status"]')).toBeTruthy();
    become('online');
    expect(screen.queryByText(shell.shell.offline)).toBeNull();
  });
});

describe('an error of the server', () => {
  it('is shown as an alert with the request id in a drawer', async () => {
    await renderPage('/token/add', { user: person, replies: tokens });
    const drawer = within(await screen.findByRole('dialog', { name: token.create }));
    fireEvent.change(drawer.getByLabelText(token.form.name), { target: { value: 'x' } });
    fireEvent.click(drawer.getByRole('button', { name: shell.action.submit }));
    const alert = await drawer.findByRole('alert');
    expect(alert.textContent).toContain('No');
    expect(alert.textContent).toContain('req-9');
  });

  it('is shown as an alert in a confirmation', async () => {
    await renderPage('/token', { user: person, replies: tokens });
    const cell = await screen.findByText('mine');
    const line = within(cell.closest('tr')!);
    fireEvent.click(line.getByRole('button', { name: shell.action.more }));
    fireEvent.click(await screen.findByRole('menuitem', { name: shell.action.delete }));
    const dialog = within(await screen.findByRole('alertdialog'));
    fireEvent.click(dialog.getByRole('button', { name: shell.action.delete }));
    expect((await dialog.findByRole('alert')).textContent).toContain('req-9');
  });

  it('is explained when the disabled button is pressed, by pointer or key', async () => {
    await renderPage('/personal', {
      user: person,
      replies: {
        'GET /api/user/self': success({ ...selfOf(person), aff_quota: 0, aff_history_quota: 0, aff_count: 0 }),
        'GET /api/user/aff': success('abcd'),
        'GET /api/user/models': success([]),
      },
    });
    const button = await screen.findByRole('button', { name: personal.invite.transfer });
    expect(button.getAttribute('aria-disabled')).toBe('true');
    fireEvent.click(button);
    const region = screen.getByRole('region', { name: shell.toast.region });
    await waitFor(() => expect(region.textContent).toContain(button.title));
    expect(button.title).not.toBe('');
  });
});

describe('a control that is disabled with a reason', () => {
  const heard = async (reason: string) => {
    const region = screen.getByRole('region', { name: shell.toast.region });
    await waitFor(() => expect(region.textContent).toContain(reason));
  };
  /** Expects that the control is focusable and marked as disabled, and that pressing it announces the reason. */
  const tells = async (control: HTMLElement, reason: string) => {
    expect(control.getAttribute('aria-disabled')).toBe('true');
    expect(control.hasAttribute('disabled')).toBe(false);
    control.focus();
    expect(document.activeElement).toBe(control);
    fireEvent.click(control);
    await heard(reason);
  };
  const settings = {
    'GET /api/option/': success([
      { key: 'ModelPrice', value: '{"dall-e-3":0.04}', revision: 1 },
      { key: 'ModelRatio', value: '{"dall-e-3":2}', revision: 1 },
    ]),
    'GET /api/channel/models_enabled': success([]),
  };

  it('in a cell of the prices that a fixed price disables', async () => {
    await renderPage('/setting', { user: root, replies: settings });
    const area = within(await screen.findByRole('region', { name: setting.card.ratio }));
    fireEvent.click(await area.findByRole('tab', { name: setting.ratio.tab.visual }));
    const cell = await area.findByLabelText<HTMLInputElement>(`dall-e-3 ${setting.ratio.column.ratio}`);
    expect(cell.readOnly).toBe(true);
    expect(cell.getAttribute('aria-description')).toBe(setting.ratio.excluded);
    await tells(cell, setting.ratio.excluded);
  });

  it('in an invalid JSON text', async () => {
    await renderPage('/setting', { user: root, replies: settings });
    const area = within(await screen.findByRole('region', { name: setting.card.ratio }));
    const text = await area.findByLabelText(setting.label.ModelPrice);
    fireEvent.change(text, { target: { value: '{"dall-e-3"' } });
    const [layOut] = area.getAllByRole('button', { name: shell.json.format });
    await tells(layOut!, shell.json.place.replace('{{line}}', '1').split('{{')[0]!);
  });

  it('in a field that the user may not change, which stays readable', async () => {
    await renderPage('/setting', { user: admin, replies: settings });
    const field = await screen.findByLabelText<HTMLInputElement>(setting.label.TopUpLink);
    expect([field.readOnly, field.disabled, field.getAttribute('aria-disabled')]).toEqual([true, false, 'true']);
    const reason = document.getElementById(field.getAttribute('aria-describedby') ?? '');
    expect(reason?.textContent).toBe(setting.locked.root);
  });

  it('in the playground, with nothing to send', async () => {
    await renderPage('/playground', {
      user: person,
      replies: {
        'GET /api/user/self/groups': success({ default: { ratio: 1, desc: 'Default' } }),
        'GET /api/user/models': success(['m1']),
        'GET /api/pricing': success([{ model_name: 'm1', enable_groups: ['default'] }]),
      },
    });
    await screen.findByRole('heading', { level: 1, name: playground.title });
    await tells(await screen.findByRole('button', { name: playground.send }), playground.noText);
  });
});

describe('the list of keyboard shortcuts', () => {
  it('opens outside of text fields', async () => {
    const { store } = await renderPage('/about', { user: person, replies: { 'GET /api/about': success('') } });
    const add = (html: string): Element => {
      const host = document.body.appendChild(document.createElement('div'));
      host.innerHTML = html;
      return host.querySelector('[data-at]')!;
    };
    const inside = [
      '<div contenteditable="true"><b data-at>x</b></div>',
      '<div role="textbox" data-at></div>',
      '<input data-at>',
      '<input type="search" data-at>',
      '<textarea data-at></textarea>',
    ];
    for (const html of inside) fireEvent.keyDown(add(html), { key: '?' });
    expect(selectLayer(store.getState())).toBeUndefined();
    fireEvent.keyDown(add('<input type="checkbox" data-at>'), { key: '?' });
    expect(await screen.findByRole('dialog', { name: command.keys.title })).toBeTruthy();
  });
});

describe('narrow and English', () => {
  let widen: (() => void) | undefined;
  afterEach(() => widen?.());

  it('keeps the words of the search button on one line', async () => {
    await renderPage('/token', { user: person, language: 'en', replies: tokens });
    const button = await within(await screen.findByRole('search')).findByRole('button', {
      name: shellEn.action.search,
    });
    expect(getComputedStyle(button)).toMatchObject({ whiteSpace: 'nowrap', flexShrink: '0' });
  });

  it('lets a request of the playground be copied on a phone', async () => {
    widen = narrowWindow(/max-width: 959/);
    await renderPage('/playground', {
      user: person,
      replies: {
        'GET /api/user/self/groups': success({ default: { ratio: 1, desc: 'Default' } }),
        'GET /api/user/models': success(['m1']),
        'GET /api/pricing': success([{ model_name: 'm1', enable_groups: ['default'] }]),
      },
    });
    await screen.findByRole('heading', { level: 1, name: playground.title });
    expect(screen.getByRole('button', { name: playground.copyCurl })).toBeTruthy();
  });
});

describe('set-up', () => {
  it('does not announce a new administrator when one exists', async () => {
    await renderPage('/setup', {
      status: { setup: false },
      replies: { 'GET /api/setup': success({ status: false, root_init: true, database_type: 'postgres' }) },
    });
    await screen.findByText(setup.admin.exists);
    expect(screen.queryByText(setup.purpose)).toBeNull();
  });
});
