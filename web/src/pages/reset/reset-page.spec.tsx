import { afterEach, describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { refusal, success } from '../../testing/fake-fetch.js';
import { renderPage } from '../../testing/render-page.js';
import { texts as shell } from '../../app/i18n/zh.js';
import { texts as zh } from './zh.js';

const type = (value: string) => fireEvent.change(screen.getByLabelText(zh.email), { target: { value } });
const submit = () => fireEvent.click(screen.getByRole('button', { name: zh.submit }));

describe('the request of a new password', () => {
  it('locks its button for thirty seconds and says the same whether the address is known or not', async () => {
    const { network } = await renderPage('/reset', { replies: { 'GET /api/reset_password': success() } });
    await screen.findByRole('heading', { level: 1, name: zh.title });
    submit();
    expect((await screen.findByRole('alert')).textContent).toContain(zh.missing);
    type(' ann@example.com ');
    submit();
    expect(await screen.findByText(zh.sent)).toBeTruthy();
    // Some of the thirty seconds may be over by now.
    const names = Array.from({ length: 30 }, (_, at) => zh.again.replace('{{left}}', String(at + 1)));
    const again = screen.getByRole('button', { name: (name) => names.includes(name) });
    expect(again.getAttribute('aria-disabled')).toBe('true');
    expect(network.of('GET', '/api/reset_password')[0]?.query.get('email')).toBe('ann@example.com');
  });

  it('refuses an incomplete address at its field, without a call and without a wait', async () => {
    const { network } = await renderPage('/reset', { replies: { 'GET /api/reset_password': success() } });
    await screen.findByLabelText(zh.email);
    type('ann');
    submit();
    expect(await screen.findByText(zh.incomplete)).toBeTruthy();
    const field = screen.getByLabelText(zh.email);
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(field);
    expect(network.of('GET', '/api/reset_password')).toEqual([]);
    type('ann@example.com');
    expect(screen.queryByText(zh.incomplete)).toBeNull();
    submit();
    expect(await screen.findByText(zh.sent)).toBeTruthy();
  });

  it('lets another address be tried at once when the server refuses the address', async () => {
    const fields = [{ path: 'email', code: 'invalid', params: { reason: 'no such address' } }];
    const replies = { 'GET /api/reset_password': refusal('no such address', 'invalid-input', { fields }) };
    await renderPage('/reset', { replies });
    await screen.findByLabelText(zh.email);
    type('ann@example');
    submit();
    await waitFor(() => expect(screen.getByLabelText(zh.email).getAttribute('aria-invalid')).toBe('true'));
    expect((await screen.findByRole('button', { name: zh.submit })).getAttribute('aria-disabled')).not.toBe('true');
  });

  it('shows why the server cannot send mail', async () => {
    const reply = refusal('no server', 'mail-not-configured');
    await renderPage('/reset', { replies: { 'GET /api/reset_password': reply } });
    await screen.findByLabelText(zh.email);
    type('ann@example.com');
    submit();
    expect((await screen.findByRole('alert')).textContent).toContain('no server');
  });

  describe('behind the bot check', () => {
    interface Drawn {
      callback: (token: string) => void;
    }
    let drawn: Drawn | undefined;
    const scope = globalThis as { turnstile?: unknown };
    afterEach(() => {
      delete scope.turnstile;
    });

    it('waits for its result, and asks for a new one after each use', async () => {
      let resets = 0;
      scope.turnstile = {
        render: (_: HTMLElement, widget: Drawn) => {
          drawn = widget;
          return 'one';
        },
        reset: () => (resets += 1),
        remove: () => undefined,
      };
      const status = { turnstile_check: true, turnstile_site_key: 'site' };
      const { network } = await renderPage('/reset', { status, replies: { 'GET /api/reset_password': success() } });
      await screen.findByLabelText(zh.email);
      await waitFor(() => expect(drawn).toBeDefined());
      type('ann@example.com');
      submit();
      expect((await screen.findByRole('alert')).textContent).toContain(shell.botCheck.wait);
      expect(network.of('GET', '/api/reset_password')).toEqual([]);
      act(() => drawn?.callback('proof'));
      submit();
      await screen.findByText(zh.sent);
      expect(network.of('GET', '/api/reset_password')[0]?.query.get('turnstile')).toBe('proof');
      await waitFor(() => expect(resets).toBe(1));
    });
  });
});
