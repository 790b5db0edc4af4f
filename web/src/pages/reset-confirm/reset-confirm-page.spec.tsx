import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen } from '@testing-library/react';
import { refusal, success } from '../../testing/fake-fetch.js';
import { renderPage } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

const link = '/user/reset?email=ann%40example.com&token=abc';
const submit = () => fireEvent.click(screen.getByRole('button', { name: zh.submit }));

describe('the link to a new password', () => {
  it('shows the generated password, and disables the button afterwards', async () => {
    const { network } = await renderPage(link, { replies: { 'POST /api/user/reset': success('fresh-password') } });
    expect((await screen.findByLabelText<HTMLInputElement>(zh.email)).value).toBe('ann@example.com');
    submit();
    expect((await screen.findByLabelText<HTMLInputElement>(zh.password)).value).toBe('fresh-password');
    expect(network.of('POST', '/api/user/reset')[0]?.body).toEqual({ email: 'ann@example.com', token: 'abc' });
    const done = zh.wait.replace('{{label}}', zh.done).replace('{{left}}', '30');
    expect(screen.getByRole('button', { name: done }).getAttribute('aria-disabled')).toBe('true');
  });

  it('reports a used link, and offers to request another one', async () => {
    const reply = refusal('used up', 'reset-link-invalid');
    await renderPage(link, { replies: { 'POST /api/user/reset': reply } });
    await screen.findByLabelText(zh.email);
    submit();
    expect((await screen.findByRole('alert')).textContent).toContain('used up');
    expect(screen.getByRole('link', { name: zh.toReset }).getAttribute('href')).toBe('/reset');
  });

  it('sends no request for an incomplete link', async () => {
    await renderPage('/user/reset?email=ann%40example.com');
    expect(await screen.findByText(zh.broken)).toBeTruthy();
    expect(screen.getByRole('button', { name: zh.submit }).getAttribute('aria-disabled')).toBe('true');
  });
});
