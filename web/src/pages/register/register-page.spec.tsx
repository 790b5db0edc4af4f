import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { refusal, success } from '../../testing/fake-fetch.js';
import { renderPage } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

const fill = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
const submit = () => fireEvent.click(screen.getByRole('button', { name: zh.submit }));

describe('registration', () => {
  it('sends the invitation code of the link and opens the login page', async () => {
    const { network, router } = await renderPage('/register?aff=Ab3d', {
      replies: { 'POST /api/user/register': success() },
    });
    await screen.findByRole('heading', { level: 1, name: zh.title });
    fill(zh.username, 'ann');
    fill(zh.password, 'long-enough');
    fill(zh.confirm, 'long-enough');
    submit();
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
    expect(network.of('POST', '/api/user/register')[0]?.body).toMatchObject({
      username: 'ann',
      password: 'long-enough',
      password2: 'long-enough',
      aff_code: 'Ab3d',
    });
  });

  it('checks the length before the equality of passwords, at the fields', async () => {
    const { network } = await renderPage('/register');
    await screen.findByRole('heading', { level: 1 });
    fill(zh.username, 'ann');
    fill(zh.password, 'short');
    fill(zh.confirm, 'other');
    submit();
    expect(await screen.findByText(zh.error.password)).toBeTruthy();
    expect(screen.queryByText(zh.error.confirm)).toBeNull();
    expect(network.of('POST', '/api/user/register')).toEqual([]);
  });

  it('says at once that a name is no mail address', async () => {
    const { network } = await renderPage('/register', { replies: {} });
    await screen.findByLabelText(zh.username);
    fill(zh.username, 'ann@example.com');
    fill(zh.password, 'password1');
    fill(zh.confirm, 'password1');
    submit();
    expect(await screen.findByText(zh.error.likeEmail)).toBeTruthy();
    expect(network.of('POST', '/api/user/register')).toEqual([]);
  });

  it('requires a code when addresses are verified, and counts down once the server has sent it', async () => {
    await renderPage('/register', {
      status: { email_verification: true },
      replies: { 'GET /api/verification': success() },
    });
    await screen.findByLabelText(zh.email);
    fill(zh.email, 'ann@example.com');
    fireEvent.click(screen.getByRole('button', { name: zh.getCode }));
    expect(await screen.findByRole('button', { name: zh.again.replace('{{left}}', '30') })).toBeTruthy();
    submit();
    expect(await screen.findByText(zh.error.code)).toBeTruthy();
  });

  it('keeps the typed form when the name is taken, and says so at the name', async () => {
    const fields = [{ path: 'username', code: 'username-taken' }];
    const reply = refusal('Taken', 'username-taken', { kind: 'conflict', fields });
    await renderPage('/register', { replies: { 'POST /api/user/register': reply } });
    await screen.findByRole('heading', { level: 1 });
    fill(zh.username, 'ann');
    fill(zh.password, 'long-enough');
    fill(zh.confirm, 'long-enough');
    submit();
    const name = screen.getByLabelText<HTMLInputElement>(zh.username);
    await waitFor(() => expect(name.getAttribute('aria-invalid')).toBe('true'));
    expect(document.getElementById(name.getAttribute('aria-describedby') ?? '')?.textContent).toContain('Taken');
    expect(screen.queryByRole('alert')).toBeNull();
    expect(name.value).toBe('ann');
  });

  it('has no form where registration is closed', async () => {
    await renderPage('/register', { status: { self_use_mode_enabled: true } });
    expect(await screen.findByText(zh.closed)).toBeTruthy();
    expect(screen.queryByLabelText(zh.username)).toBeNull();
  });
});
