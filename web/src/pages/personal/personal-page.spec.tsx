import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { UserSetting } from '@tollgate/contracts/api/user';
import { sessionExpired } from '../../api/events.js';
import { signedIn } from '../../app/slices/session.js';
import { texts as shell } from '../../app/i18n/zh.js';
import type { Call } from '../../testing/fake-fetch.js';
import { refusal, success } from '../../testing/fake-fetch.js';
import { person } from '../../testing/render-page.js';
import { seenOf } from './notify-form.js';
import { button, card, openPersonal, self, type } from '../../testing/open-personal.js';
import { texts as zh } from './zh.js';

describe('personal page', () => {
  it('shows ten models and the rest on request', async () => {
    await openPersonal();
    expect(await screen.findByText('model-09')).toBeTruthy();
    expect(screen.queryByText('model-10')).toBeNull();
    fireEvent.click(screen.getByText(zh.models.more_other.replace('{{count}}', '3')));
    expect(screen.getByText('model-12')).toBeTruthy();
    expect(localStorage.getItem('modelsExpanded')).toBe('true');
  });

  it('asks for the next code by mail only after a while, also when the dialog was closed meanwhile', async () => {
    const { network } = await openPersonal({ 'GET /api/verification': success(null) });
    const bindings = await card(zh.binding.title);
    const open = async () => {
      fireEvent.click(await bindings.findByRole('button', { name: `${zh.binding.bind} ${zh.binding.email}` }));
      return within(await screen.findByRole('dialog', { name: zh.binding.emailTitle }));
    };
    const first = await open();
    type(first.getByLabelText(zh.binding.emailField), 'bob');
    fireEvent.click(first.getByRole('button', { name: zh.binding.getCode }));
    expect(await first.findByText(zh.binding.badEmail)).toBeTruthy();
    expect(network.of('GET', '/api/verification')).toEqual([]);
    type(first.getByLabelText(zh.binding.emailField), 'bob@example.com');
    fireEvent.click(first.getByRole('button', { name: zh.binding.getCode }));
    await waitFor(() => expect(network.of('GET', '/api/verification')).toHaveLength(1));
    const [words] = zh.binding.again.split('{{left}}');
    const waiting = (name: string) => name.startsWith(words!);
    await first.findByRole('button', { name: waiting });
    fireEvent.click(first.getByRole('button', { name: shell.action.cancel }));
    fireEvent.click(await screen.findByRole('button', { name: shell.action.discard }));
    await waitFor(() => expect(screen.queryByRole('dialog', { name: zh.binding.emailTitle })).toBeNull());
    expect((await open()).getByRole('button', { name: waiting }).getAttribute('aria-disabled')).toBe('true');
  });

  it('keeps the focus in the list of sessions when one of them is ended, and then the others', async () => {
    const agents = ['Firefox/140 Linux', 'Chrome/140 Windows', 'Safari/18 iPhone'];
    const session = (id: number, current = false) => ({
      ...{ id, current, user_agent: agents[id - 1], address: '203.0.113.9' },
      ...{ created_at: 1_795_000_000, last_seen_at: 1_795_000_000 },
    });
    let sessions = [session(1, true), session(2), session(3)];
    await openPersonal({
      'GET /api/user/self/session': () => success(sessions),
      'DELETE /api/user/self/session/2': () => success((sessions = [session(1, true), session(3)]) && null),
      'DELETE /api/user/self/session': () => success((sessions = [session(1, true)]) && null),
    });
    const list = await card(zh.sessions.title);
    const press = async (name: string) => {
      const pressed = await list.findByRole('button', { name });
      act(() => pressed.focus());
      fireEvent.click(pressed);
      await waitFor(() => expect(pressed.isConnected).toBe(false));
    };
    await press(`${shell.sessions.end} Chrome · Windows`);
    expect(document.activeElement?.textContent).toContain('Safari');
    await press(zh.sessions.endOthers);
    expect(document.activeElement?.textContent).toContain(zh.sessions.none);
    expect(document.activeElement).not.toBe(document.body);
  });

  it('shows the state of sent notifications, and filters them', async () => {
    const { network } = await openPersonal();
    const notices = await card(zh.deliveries.title);
    expect(await notices.findByText(/mailbox full/)).toBeTruthy();
    expect(notices.getByText(new RegExp(shell.delivery.kind.quota_exceed), { selector: 'p' })).toBeTruthy();
    fireEvent.click(notices.getByRole('button', { name: shell.delivery.waiting }));
    await waitFor(() => expect(network.of('GET', '/api/delivery/self').at(-1)?.query.get('status')).toBe('waiting'));
  });

  it('does not keep what is shown once: the secret of an authenticator and recovery codes', async () => {
    const { store } = await openPersonal({
      'GET /api/user/self/2fa': success({ totp: false, passkeys: 1, recovery_codes: 4, required: false }),
      'POST /api/user/self/2fa/setup': success({ secret: 'TOTPSECRET', qr_code: '<svg/>' }),
      'POST /api/user/self/2fa/enable': success({ recovery_codes: ['first-code'] }),
      'POST /api/user/self/2fa/recovery_codes': success({ recovery_codes: ['second-code'] }),
    });
    const held = (text: string) => JSON.stringify(store.getState()).includes(text);
    const factors = await card(zh.factors.title);
    fireEvent.click(await factors.findByRole('button', { name: zh.factors.setUp }));
    const dialog = within(await screen.findByRole('dialog', { name: zh.factors.setUp }));
    expect(await dialog.findByText('TOTPSECRET')).toBeTruthy();
    expect(held('TOTPSECRET')).toBe(false);
    type(dialog.getByLabelText(zh.factors.code), '123456');
    fireEvent.click(dialog.getByRole('button', { name: zh.factors.confirm }));
    expect(await screen.findByText('first-code')).toBeTruthy();
    expect(held('first-code')).toBe(false);
    fireEvent.click(screen.getByRole('button', { name: zh.security.kept }));
    fireEvent.click(await factors.findByRole('button', { name: zh.factors.renew }));
    expect(await screen.findByText('second-code')).toBeTruthy();
    expect(held('second-code')).toBe(false);
  });

  it('opens nothing but the set-up of a second factor when the operator requires one', async () => {
    const { network } = await openPersonal({
      'GET /api/user/self': self({ must_set_two_factor: true }),
      'POST /api/user/self/2fa/setup': refusal('again', 'password-needed'),
    });
    const factors = await card(zh.factors.title);
    expect(factors.getByText(zh.factors.demanded)).toBeTruthy();
    expect(screen.queryByRole('region', { name: zh.security.title })).toBeNull();
    fireEvent.click(await factors.findByRole('button', { name: zh.factors.setUp }));
    const dialog = within(await screen.findByRole('dialog', { name: zh.factors.setUp }));
    type(dialog.getByLabelText(zh.factors.password), 'my password');
    fireEvent.click(dialog.getByRole('button', { name: zh.factors.go }));
    await waitFor(() =>
      expect(network.of('POST', '/api/user/self/2fa/setup').map(({ body }) => body)).toEqual([
        {},
        { password: 'my password' },
      ]),
    );
  });

  it('keeps the typed values of two forms when the login expires', async () => {
    const { store, router } = await openPersonal();
    const name = async () => screen.findByLabelText<HTMLInputElement>(zh.profile.displayName);
    const mail = async () => screen.findByLabelText<HTMLInputElement>(zh.notify.email);
    type(await name(), 'Robert');
    type(await mail(), 'bob@example.com');
    act(() => void store.dispatch(sessionExpired()));
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
    act(() => void store.dispatch(signedIn(person)));
    await act(() => router.navigate('/personal'));
    await waitFor(async () =>
      expect([(await name()).value, (await mail()).value]).toEqual(['Robert', 'bob@example.com']),
    );
  });

  it('transfers rewards only within the allowed bounds', async () => {
    const { network } = await openPersonal({ 'POST /api/user/aff_transfer': success() });
    fireEvent.click(await button(zh.invite.transfer));
    const dialog = within(await screen.findByRole('dialog'));
    const amount = dialog.getByLabelText(/\$1\.00/);
    expect(amount).toHaveProperty('value', '500000');
    for (const bad of ['499999', '700001', '1.5']) {
      type(amount, bad);
      fireEvent.click(dialog.getByRole('button', { name: zh.invite.transfer }));
      await waitFor(() => expect(amount.getAttribute('aria-invalid')).toBe('true'));
    }
    type(amount, '700000');
    fireEvent.click(dialog.getByRole('button', { name: zh.invite.transfer }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(network.of('POST', '/api/user/aff_transfer').map(({ body }) => body)).toEqual([{ quota: 700_000 }]);
  });

  it('takes no more addresses for notices than are sent to, and says how many', async () => {
    const { network } = await openPersonal({ 'PUT /api/user/setting': success() });
    const notify = await card(zh.notify.title);
    const many = zh.notify.manyEmails.replace('{{most}}', '5');
    const list = (count: number) => Array.from({ length: count }, (_, at) => `a${at}@b.c`).join(';');
    type(await notify.findByLabelText(zh.notify.email), list(6));
    fireEvent.click(notify.getByRole('button', { name: zh.save }));
    expect(await notify.findByText(many)).toBeTruthy();
    type(notify.getByLabelText(zh.notify.email), list(5));
    await waitFor(() => expect(notify.queryByText(many)).toBeNull());
    fireEvent.click(notify.getByRole('button', { name: zh.save }));
    await waitFor(() =>
      expect(network.of('PUT', '/api/user/setting')).toMatchObject([{ body: { notification_email: list(5) } }]),
    );
  });

  it('accepts only https for a webhook, sends a typed secret once and clears it', async () => {
    let setting = '';
    const { network } = await openPersonal({
      'GET /api/user/self': () => self({ setting }),
      'PUT /api/user/setting': () => {
        setting = JSON.stringify({
          notify_type: 'webhook',
          webhook_url: 'https://a.b/c',
          webhook_secret_set: true,
          quota_warning_threshold: 100_000,
          accept_unset_model_ratio_model: false,
        });
        return success();
      },
    });
    const notify = await card(zh.notify.title);
    fireEvent.click(notify.getByLabelText(zh.notify.byWebhook));
    const url = await notify.findByLabelText(zh.notify.url);
    type(url, 'http://a.b/c');
    fireEvent.click(notify.getByRole('button', { name: zh.save }));
    expect(await notify.findByText(zh.notify.badUrl)).toBeTruthy();
    type(url, 'https://a.b/c');
    const secret = notify.getByLabelText<HTMLInputElement>(zh.notify.secret);
    type(secret, 'hush');
    fireEvent.click(notify.getByRole('button', { name: zh.save }));
    expect(await notify.findByText(shell.form.secretSet)).toBeTruthy();
    expect(network.of('PUT', '/api/user/setting').map(({ body }) => body)).toEqual([
      {
        notify_type: 'webhook',
        quota_warning_threshold: 100_000,
        accept_unset_model_ratio_model: false,
        webhook_url: 'https://a.b/c',
        webhook_secret: 'hush',
        expected: seenOf({}),
      },
    ]);
    await waitFor(() => expect(secret.value).toBe(''));
    expect(notify.queryByRole('button', { name: shell.action.undo })).toBeNull();
  });

  it('shows the fields of the stored kind of notification', async () => {
    const setting = JSON.stringify({ notify_type: 'webhook', webhook_url: 'https://a.b/c' });
    await openPersonal({ 'GET /api/user/self': self({ setting }) });
    const notify = await card(zh.notify.title);
    expect((await notify.findByLabelText<HTMLInputElement>(zh.notify.url)).value).toBe('https://a.b/c');
    expect(notify.queryByLabelText(zh.notify.email)).toBeNull();
  });

  it('says that the stored secret is not kept for another webhook address', async () => {
    const setting = JSON.stringify({
      notify_type: 'webhook',
      webhook_url: 'https://a.b/c',
      webhook_secret_set: true,
      quota_warning_threshold: 100_000,
    });
    await openPersonal({ 'GET /api/user/self': self({ setting }) });
    const notify = await card(zh.notify.title);
    const url = await notify.findByLabelText(zh.notify.url);
    expect(await notify.findByText(shell.form.secretSet)).toBeTruthy();
    type(url, 'https://a.b/other');
    expect(await notify.findByText(zh.notify.secretMoved)).toBeTruthy();
    expect(notify.queryByRole('button', { name: shell.action.clear })).toBeNull();
    type(notify.getByLabelText(zh.notify.secret), 'hush');
    expect(await notify.findByText(shell.form.secretSet)).toBeTruthy();
    type(notify.getByLabelText(zh.notify.secret), '');
    type(url, 'https://a.b/c');
    expect(await notify.findByText(shell.form.secretSet)).toBeTruthy();
    expect(notify.getByRole('button', { name: shell.action.clear })).toBeTruthy();
  });

  it('changes the price setting and sends the notification setting as stored', async () => {
    const setting = JSON.stringify({
      notify_type: 'email',
      notification_email: 'me@a.b',
      quota_warning_threshold: 42,
      accept_unset_model_ratio_model: false,
    });
    const { network } = await openPersonal({
      'GET /api/user/self': self({ setting }),
      'PUT /api/user/setting': success(),
    });
    const price = await card(zh.price.title);
    fireEvent.click(price.getByLabelText(zh.price.accept));
    fireEvent.click(price.getByRole('button', { name: zh.save }));
    await waitFor(() => expect(network.of('PUT', '/api/user/setting')).toHaveLength(1));
    expect(network.of('PUT', '/api/user/setting')[0]?.body).toEqual({
      notify_type: 'email',
      notification_email: 'me@a.b',
      quota_warning_threshold: 42,
      accept_unset_model_ratio_model: true,
      expected: seenOf(JSON.parse(setting) as UserSetting),
    });
  });

  describe('saves settings while another window does', () => {
    const before: UserSetting = {
      notify_type: 'email',
      notification_email: 'me@a.b',
      quota_warning_threshold: 42,
      accept_unset_model_ratio_model: false,
    };

    /** A fake server that compares the state the reader saw with the stored one, like the real server. */
    async function openSetting() {
      let now = before;
      const { network } = await openPersonal({
        'GET /api/user/self': () => self({ setting: JSON.stringify(now) }),
        'PUT /api/user/setting': ({ body }: Call) => {
          const { expected, ...next } = body as UserSetting & { expected: object };
          if (JSON.stringify(Object.entries(expected).sort()) !== JSON.stringify(Object.entries(seenOf(now)).sort()))
            return refusal('changed elsewhere', 'setting-changed-meanwhile', { kind: 'conflict' });
          now = next;
          return success();
        },
      });
      const mail = async () => (await card(zh.notify.title)).findByLabelText<HTMLInputElement>(zh.notify.email);
      await waitFor(async () => expect((await mail()).value).toBe('me@a.b'));
      const press = async (title: string, name: string) =>
        void fireEvent.click((await card(title)).getByRole('button', { name }));
      return {
        network,
        mail,
        press,
        now: () => now,
        meanwhile: (change: UserSetting) => (now = { ...now, ...change }),
      };
    }

    it('keeps changes of the other window to other fields', async () => {
      const page = await openSetting();
      page.meanwhile({ accept_unset_model_ratio_model: true, quota_warning_threshold: 7 });
      type(await page.mail(), 'you@a.b');
      await page.press(zh.notify.title, zh.save);
      await waitFor(() => expect(page.now().notification_email).toBe('you@a.b'));
      expect(page.now()).toEqual({
        ...before,
        notification_email: 'you@a.b',
        quota_warning_threshold: 7,
        accept_unset_model_ratio_model: true,
      });
    });

    it('overwrites a change of the same field only after reporting the conflict', async () => {
      const page = await openSetting();
      type(await page.mail(), 'you@a.b');
      page.meanwhile({ notification_email: 'they@a.b' });
      await page.press(zh.notify.title, zh.save);
      const theirs = shell.conflict.field.replace('{{label}}', zh.notify.email).replace('{{value}}', 'they@a.b');
      expect(await screen.findByText(theirs)).toBeTruthy();
      expect((await page.mail()).value).toBe('you@a.b');
      expect(page.now().notification_email).toBe('they@a.b');
      await page.press(zh.notify.title, shell.conflict.overwrite);
      await waitFor(() => expect(page.now().notification_email).toBe('you@a.b'));
    });

    it('reports a conflict when the type of notification was changed meanwhile', async () => {
      const page = await openSetting();
      type(await page.mail(), 'you@a.b');
      page.meanwhile({ notify_type: 'webhook', webhook_url: 'https://a.b/c', notification_email: undefined });
      await page.press(zh.notify.title, zh.save);
      expect(await screen.findByText(/changed elsewhere/)).toBeTruthy();
      expect(page.now().notify_type).toBe('webhook');
    });
  });

  it('sends only changed fields of the profile, and resets typed values', async () => {
    const { network } = await openPersonal({ 'PUT /api/user/self': success() });
    const profile = await card(zh.profile.title);
    const name = profile.getByLabelText<HTMLInputElement>(zh.profile.displayName);
    type(name, 'Robert');
    fireEvent.click(profile.getByRole('button', { name: shell.action.undo }));
    await waitFor(() => expect(name.value).toBe(person.display_name));
    type(name, 'Robert');
    fireEvent.click(profile.getByRole('button', { name: zh.save }));
    await waitFor(() => expect(network.of('PUT', '/api/user/self')).toHaveLength(1));
    expect(network.of('PUT', '/api/user/self')[0]?.body).toEqual({ display_name: 'Robert' });
  });
});
