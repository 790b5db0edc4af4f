import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { REACHABLE_LOGS } from '@tollgate/contracts/api/log-limits';
import type { Call } from '../../testing/fake-fetch.js';
import { json, refusal, success } from '../../testing/fake-fetch.js';
import { admin, renderPage, root, selfOf } from '../../testing/render-page.js';
import { sessionExpired } from '../../api/events.js';
import { signedIn } from '../../app/slices/session.js';
import { switchLanguage } from '../../app/i18n/index.js';
import { texts as errors } from '../../app/i18n/errors/en.js';
import { texts as shell } from '../../app/i18n/zh.js';
import { card, listOf, openSettings, type } from '../../testing/open-setting.js';
import { texts as zh } from './zh.js';

describe('settings', () => {
  it('opens the tab in the address, or else the operation tab', async () => {
    const { unmount } = await openSettings('/setting');
    expect((await screen.findByRole('tab', { name: zh.tab.operation })).getAttribute('aria-selected')).toBe('true');
    unmount();
    await openSettings('/setting?tab=system');
    expect(await screen.findByRole('heading', { name: zh.card.smtp })).toBeTruthy();
  });

  it('says what was refused of an option in the language of the reader, also after a switch', async () => {
    await openSettings('/setting?tab=other', () => json(refusal('said in Chinese', 'username-taken')));
    const field = await screen.findByRole('textbox', { name: zh.label.Notice });
    const help = () => document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent;
    type(field, 'typed');
    fireEvent.click(screen.getByRole('button', { name: zh.saveField.Notice }));
    await waitFor(() => expect(help()).toContain('said in Chinese'));
    await act(() => switchLanguage('en'));
    expect(help()).toContain(errors['username-taken']);
    await act(() => switchLanguage('zh'));
    expect(help()).toContain('said in Chinese');
  });

  it('sends one call per changed option, with its revision, and nothing else', async () => {
    const { puts } = await openSettings('/setting');
    const general = await card(zh.card.general);
    type(general.getByLabelText(zh.label.RetryTimes), '2');
    fireEvent.click(general.getByLabelText(zh.label.DefaultCollapseSidebar));
    fireEvent.click(general.getByRole('button', { name: zh.saveCard.general }));
    await screen.findByText(zh.save.done);
    expect(puts()).toEqual([
      { key: 'RetryTimes', value: '2', revision: 3 },
      { key: 'DefaultCollapseSidebar', value: 'true', revision: 3 },
    ]);
  });

  it('leaves the focus where it was, during and after a save', async () => {
    let answer: () => void = () => undefined;
    await openSettings('/setting', () => new Promise((resolve) => (answer = () => resolve(success()))));
    const general = await card(zh.card.general);
    const field = general.getByLabelText<HTMLInputElement>(zh.label.RetryTimes);
    const save = general.getByRole<HTMLButtonElement>('button', { name: zh.saveCard.general });
    type(field, '2');
    save.focus();
    fireEvent.click(save);
    await waitFor(() => expect(save.getAttribute('aria-busy')).toBe('true'));
    expect([field.disabled, save.disabled]).toEqual([false, false]);
    await act(async () => answer());
    await waitFor(() => expect(save.getAttribute('aria-busy')).toBeNull());
    expect(document.activeElement).toBe(save);
  });

  it('marks only the option that is being saved, whatever is typed meanwhile', async () => {
    let answer: () => void = () => undefined;
    await openSettings('/setting?tab=other', () => new Promise((resolve) => (answer = () => resolve(success()))));
    const [saved, other] = await Promise.all(
      (['About', 'Footer'] as const).map(async (key) => {
        type(await screen.findByRole('textbox', { name: zh.label[key] }), 'typed');
        return screen.getByRole('button', { name: zh.saveField[key] });
      }),
    );
    fireEvent.click(saved!);
    await waitFor(() => expect(saved?.getAttribute('aria-busy')).toBe('true'));
    type(screen.getByRole('textbox', { name: zh.label.About }), '');
    expect([saved, other].map((button) => button?.getAttribute('aria-busy'))).toEqual(['true', null]);
    await act(async () => answer());
    await waitFor(() => expect(saved?.getAttribute('aria-busy')).toBeNull());
  });

  it('puts the focus beside a button that goes away when it is pressed', async () => {
    await openSettings('/setting', success(), root, () => listOf({ RetryTimes: '7' }));
    const general = await card(zh.card.general);
    const press = (name: string) => {
      const button = general.getByRole('button', { name });
      button.focus();
      fireEvent.click(button);
    };
    press(zh.default.back.replace('{{value}}', '0'));
    expect(document.activeElement).toBe(general.getByLabelText(zh.label.RetryTimes));
    press(shell.action.undo);
    expect(document.activeElement).toBe(general.getByRole('button', { name: zh.saveCard.general }));
  });

  it('sends the revision from when typing began, so that a change by somebody else is not overwritten', async () => {
    let revision = 3;
    const { puts, network } = await openSettings(
      '/setting',
      ({ body }: Call) => {
        const { key, revision: sent } = body as { key: string; revision: number };
        return key === 'RetryTimes' && sent !== revision
          ? json(refusal('changed', 'option-conflict', { kind: 'conflict' }))
          : success();
      },
      root,
      () => listOf({ RetryTimes: revision === 3 ? '0' : '7' }, revision),
    );
    const general = await card(zh.card.general);
    type(general.getByLabelText(zh.label.RetryTimes), '2');
    revision = 4;
    const drawing = await card(zh.card.drawing);
    fireEvent.click(drawing.getByLabelText(zh.label.MjForwardUrlEnabled));
    fireEvent.click(drawing.getByRole('button', { name: zh.saveCard.drawing }));
    await waitFor(() => expect(network.of('GET', '/api/option/')).toHaveLength(2));
    fireEvent.click(general.getByRole('button', { name: zh.saveCard.general }));
    const theirs = zh.problem.theirs.replace('{{value}}', '7');
    expect(await general.findByText(zh.problem.conflict + theirs)).toBeTruthy();
    expect(puts().at(-1)).toMatchObject({ key: 'RetryTimes', revision: 3 });
    // After the conflict was reported the reader may overwrite the other change.
    fireEvent.click(general.getByRole('button', { name: zh.saveCard.general }));
    await waitFor(() => expect(puts().at(-1)).toEqual({ key: 'RetryTimes', value: '2', revision: 4 }));
  });

  it('keeps typed values when the login expires, but no secret', async () => {
    const { store, router } = await openSettings('/setting?tab=system');
    const smtp = async () => card(zh.card.smtp);
    type((await smtp()).getByLabelText(zh.label.SMTPServer), 'mail.example');
    type((await smtp()).getByLabelText(zh.label.SMTPToken), 'hunter2');
    act(() => void store.dispatch(sessionExpired()));
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
    expect(sessionStorage.getItem('draft')).not.toContain('hunter2');
    act(() => void store.dispatch(signedIn(root)));
    await act(() => router.navigate('/setting?tab=system'));
    const field = await screen.findByLabelText<HTMLInputElement>(zh.label.SMTPServer);
    await waitFor(() => expect(field.value).toBe('mail.example'));
  });

  it('causes no conflict with itself when a switch is pressed twice', async () => {
    let revision = 3;
    let value = 'true';
    let release = (): void => undefined;
    const { puts } = await openSettings(
      '/setting?tab=system',
      ({ body }: Call) => {
        revision += 1;
        value = (body as { value: string }).value;
        return success();
      },
      root,
      async () => {
        const found = listOf({ RegisterEnabled: value }, revision);
        if (revision === 4) await new Promise<void>((resolve) => (release = resolve));
        return found;
      },
    );
    const login = await card(zh.card.login);
    const flag = () => login.getByLabelText<HTMLInputElement>(zh.label.RegisterEnabled);
    fireEvent.click(flag());
    await waitFor(() => expect(flag().checked).toBe(false));
    // Browsers fire no click on a disabled button, but `fireEvent` would.
    if (!flag().disabled) fireEvent.click(flag());
    await act(() => Promise.resolve(release()));
    await waitFor(() => expect(flag().disabled).toBe(false));
    if (!flag().checked) fireEvent.click(flag());
    await waitFor(() => expect(flag().checked).toBe(true));
    expect(puts().map(({ revision: sent }) => sent)).toEqual([3, 4]);
  });

  it('says that nothing was changed', async () => {
    const { puts } = await openSettings('/setting?tab=ratelimit');
    const rate = await card(zh.card.rate);
    fireEvent.click(rate.getByRole('button', { name: zh.saveCard.rate }));
    expect(await screen.findByText(shell.form.nothingChanged)).toBeTruthy();
    expect(puts()).toEqual([]);
  });

  it('validates a field when it loses the focus and sends nothing while one is invalid', async () => {
    const { puts } = await openSettings('/setting');
    const group = await card(zh.card.group);
    const field = group.getByLabelText(zh.label.GroupRatio);
    type(field, '{"default": 1');
    fireEvent.blur(field);
    expect(await group.findByText(/JSON.+ 1 .+ 14 /)).toBeTruthy();
    fireEvent.click(group.getByRole('button', { name: zh.saveCard.group }));
    expect(await screen.findByText(zh.save.check)).toBeTruthy();
    expect(puts()).toEqual([]);
    type(field, '{"default": 2}');
    fireEvent.click(group.getByRole('button', { name: zh.saveCard.group }));
    await screen.findByText(zh.save.done);
    expect(puts()).toEqual([{ key: 'GroupRatio', value: '{"default": 2}', revision: 3 }]);
  });

  it('shows which of several options was refused, and keeps the typed values', async () => {
    const refuse = ({ body }: Call) =>
      (body as { key: string }).key === 'RetryTimes' ? json(refusal('No retries here', 'x')) : success();
    await openSettings('/setting', refuse);
    const general = await card(zh.card.general);
    type(general.getByLabelText(zh.label.RetryTimes), '2');
    fireEvent.click(general.getByLabelText(zh.label.DemoSiteEnabled));
    fireEvent.click(general.getByRole('button', { name: zh.saveCard.general }));
    expect(await screen.findByText(zh.save.partly)).toBeTruthy();
    expect(general.getByText(/No retries here/)).toBeTruthy();
    expect(general.getByLabelText<HTMLInputElement>(zh.label.RetryTimes).value).toBe('2');
  });

  it('sends a secret only when one was typed, and clears it only on request', async () => {
    const { puts } = await openSettings('/setting?tab=system');
    const smtp = await card(zh.card.smtp);
    type(smtp.getByLabelText(zh.label.SMTPServer), 'mail.example');
    fireEvent.click(smtp.getByRole('button', { name: zh.saveCard.smtp }));
    await waitFor(() => expect(puts()).toHaveLength(1));
    expect(puts()[0]?.key).toBe('SMTPServer');
    type(smtp.getByLabelText(zh.label.SMTPToken), 'hunter2');
    fireEvent.click(smtp.getByRole('button', { name: zh.saveCard.smtp }));
    await waitFor(() => expect(puts()[1]).toMatchObject({ key: 'SMTPToken', value: 'hunter2' }));
    await waitFor(() => expect(smtp.getByLabelText<HTMLInputElement>(zh.label.SMTPToken).value).toBe(''));
    fireEvent.click(smtp.getByRole('button', { name: shell.action.clear }));
    const dialog = within(await screen.findByRole('alertdialog'));
    fireEvent.click(dialog.getByRole('button', { name: shell.action.clear }));
    await waitFor(() => expect(puts()[2]).toEqual({ key: 'SMTPToken', value: '', clear: true }));
  });

  it('saves a secret before the address it is sent to, because changing the address requires it', async () => {
    const { puts } = await openSettings('/setting?tab=system');
    const smtp = await card(zh.card.smtp);
    type(smtp.getByLabelText(zh.label.SMTPServer), 'other.example');
    type(smtp.getByLabelText(zh.label.SMTPToken), 'hunter3');
    fireEvent.click(smtp.getByRole('button', { name: zh.saveCard.smtp }));
    await waitFor(() => expect(puts().map(({ key }) => key)).toEqual(['SMTPToken', 'SMTPServer']));
  });

  it('switches a restriction off before it empties the list that it needs', async () => {
    const { puts } = await openSettings('/setting?tab=system', success(), root, () =>
      listOf({ EmailDomainRestrictionEnabled: 'true', EmailDomainWhitelist: 'one.example' }),
    );
    const domains = await card(zh.card['email-domain']);
    fireEvent.keyDown(domains.getByLabelText(zh.label.EmailDomainWhitelist), { key: 'Backspace' });
    fireEvent.click(domains.getByLabelText(zh.label.EmailDomainRestrictionEnabled));
    fireEvent.click(domains.getByRole('button', { name: zh.saveCard['email-domain'] }));
    await waitFor(() => expect(puts()).toHaveLength(2));
    expect(puts().map(({ key, value }) => [key, value])).toEqual([
      ['EmailDomainRestrictionEnabled', 'false'],
      ['EmailDomainWhitelist', ''],
    ]);
  });

  it('confirms before login by password is switched off; cancelling leaves it on', async () => {
    const { puts } = await openSettings('/setting?tab=system');
    const login = await card(zh.card.login);
    const box = login.getByLabelText<HTMLInputElement>(zh.label.PasswordLoginEnabled);
    fireEvent.click(box);
    const dialog = within(await screen.findByRole('alertdialog'));
    fireEvent.click(dialog.getByRole('button', { name: shell.action.cancel }));
    expect(box.checked).toBe(true);
    expect(puts()).toEqual([]);
  });

  it('restores a refused switch and says why', async () => {
    await openSettings('/setting?tab=system', refusal('Fill in the id first', 'option-guarded'));
    const login = await card(zh.card.login);
    const box = login.getByLabelText<HTMLInputElement>(zh.label.PasswordRegisterEnabled);
    fireEvent.click(box);
    expect(await login.findByText('Fill in the id first')).toBeTruthy();
    expect(box.checked).toBe(true);
  });

  it('lets only the super administrator edit the top-up link', async () => {
    await openSettings('/setting', success(), admin);
    const general = await card(zh.card.general);
    expect(general.getByLabelText<HTMLInputElement>(zh.label.TopUpLink).readOnly).toBe(true);
    expect(general.getByText(zh.locked.root)).toBeTruthy();
  });

  it('requires a second factor of the user before requiring one of others', async () => {
    const view = await renderPage('/setting?tab=system', {
      user: root,
      replies: {
        'GET /api/option/': listOf(),
        'GET /api/user/self': success({ ...selfOf(root), two_factor: false }),
      },
    });
    const factors = await card(zh.card['second-factor']);
    await factors.findByText(zh.locked.ownFactor);
    const choice = factors.getByLabelText<HTMLSelectElement>(zh.label.SecondFactorRequiredFor);
    expect([...choice.options].map(({ value }) => value)).toEqual(['nobody']);
    view.unmount();
    await openSettings('/setting?tab=system');
    const free = (await card(zh.card['second-factor'])).getByLabelText<HTMLSelectElement>(
      zh.label.SecondFactorRequiredFor,
    );
    expect(free.options).toHaveLength(3);
  });

  it('requires the server address before payment is saved', async () => {
    const { puts } = await openSettings('/setting?tab=system');
    const payment = await card(zh.card.payment);
    type(payment.getByLabelText(zh.label.EpayId), '1001');
    fireEvent.click(payment.getByRole('button', { name: zh.saveCard.payment }));
    expect(await screen.findByText(zh.missing.ServerAddress)).toBeTruthy();
    expect(puts()).toEqual([]);
  });

  it('lets the server fetch the addresses of an OIDC provider, and shows why that failed', async () => {
    const { network } = await openSettings('/setting?tab=system');
    const oidc = await card(zh.card.oidc);
    type(oidc.getByLabelText(zh.label.oidc_well_known), 'https://id.example/.well-known/openid-configuration');
    fireEvent.click(await oidc.findByRole('button', { name: zh.oidc.discover }));
    await screen.findByText(zh.oidc.found);
    expect(network.of('POST', '/api/option/oidc_discovery').map(({ body }) => body)).toEqual([
      { url: 'https://id.example/.well-known/openid-configuration' },
    ]);
    const field = oidc.getByLabelText<HTMLInputElement>(zh.label.oidc_authorization_endpoint);
    expect(field.value).toBe('https://id.example/a');
    type(oidc.getByLabelText(zh.label.oidc_well_known), 'https://id.example/refused');
    fireEvent.click(oidc.getByRole('button', { name: zh.oidc.discover }));
    expect(await screen.findByText('No document there')).toBeTruthy();
  });

  it('finds an option by its name in the other language', async () => {
    const { router } = await openSettings('/setting');
    const search = screen.getByLabelText(zh.search.label);
    fireEvent.focus(search);
    type(search, 'smtp passw');
    const results = await screen.findByRole('list', { name: zh.search.results });
    const found = await within(results).findByText(zh.label.SMTPToken);
    // The Enter that ends an IME composition.
    fireEvent.keyDown(search, { key: 'Enter', isComposing: true });
    expect((search as HTMLInputElement).value).toBe('smtp passw');
    fireEvent.click(found);
    await waitFor(() => expect(router.state.location.search).toBe('?tab=system&key=SMTPToken'));
    await waitFor(() => expect(document.activeElement?.getAttribute('name')).toBe('SMTPToken'));
  });

  it('keeps typed values when another tab is opened, and confirms before the page is left', async () => {
    const { router } = await openSettings('/setting');
    const general = await card(zh.card.general);
    type(general.getByLabelText(zh.label.RetryTimes), '3');
    await router.navigate('/setting?tab=models');
    await screen.findByRole('heading', { name: zh.card.gemini });
    await router.navigate('/setting?tab=operation');
    expect((await card(zh.card.general)).getByLabelText<HTMLInputElement>(zh.label.RetryTimes).value).toBe('3');
    await router.navigate('/');
    expect(await screen.findByText(shell.form.discardTitle)).toBeTruthy();
    expect(router.state.location.pathname).toBe('/setting');
  });

  it.each([
    ['their number', { total: 42 }, zh.log.count.replace('{{count}}', '42')],
    ['an estimate', { total: 42, total_is_estimate: true }, zh.log.about.replace('{{rows, integer}}', '42')],
    [
      'where counting ended',
      { total: REACHABLE_LOGS, total_is_estimate: true },
      zh.log.atLeast.replace('{{rows, integer}}', '1,000,000'),
    ],
  ])('clears old logs, of which it tells %s, only after the date was typed', async (_, counted, words) => {
    const found = { items: [], page: 1, page_size: 1, ...counted };
    const { network } = await renderPage('/setting', {
      user: root,
      replies: {
        'GET /api/option/': listOf(),
        'GET /api/channel/models_enabled': success([]),
        'GET /api/log/': success(found),
        'DELETE /api/log/': success(42),
      },
    });
    const before = (await screen.findByLabelText<HTMLInputElement>(zh.log.before)).value;
    fireEvent.click(await screen.findByRole('button', { name: zh.log.clear }));
    const dialog = within(await screen.findByRole('alertdialog'));
    const go = dialog.getByRole('button', { name: zh.log.action });
    expect(go.getAttribute('aria-disabled')).toBe('true');
    expect(dialog.getByText(words)).toBeTruthy();
    type(dialog.getByRole('textbox'), '42');
    expect(go.getAttribute('aria-disabled')).toBe('true');
    type(dialog.getByRole('textbox'), before.slice(0, 10));
    fireEvent.click(go);
    await waitFor(() => expect(network.of('DELETE', '/api/log/')).toHaveLength(1));
    expect(await screen.findByText(zh.log.cleared.replace('{{count}}', '42'))).toBeTruthy();
  });
});
