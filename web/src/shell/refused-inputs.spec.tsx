import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { texts as login } from '../pages/login/zh.js';
import { texts as register } from '../pages/register/zh.js';
import { texts as reset } from '../pages/reset/zh.js';
import { texts as setup } from '../pages/setup/zh.js';
import type { Replies } from '../testing/fake-fetch.js';
import { json, refusal, success } from '../testing/fake-fetch.js';
import { renderPage } from '../testing/render-page.js';

const REASON = 'not like this';

interface Form {
  address: string;
  status?: object;
  replies?: Replies;
  call: string;
  filled: Record<string, string>;
  button: string;
  /** The server's name of the field, and its label. */
  path: string;
  label: string;
  code?: string;
  httpStatus?: number;
}

const forms: Form[] = [
  {
    ...{ address: '/login', call: 'POST /api/user/login', path: 'password', label: login.password },
    ...{ button: login.submit, filled: { [login.username]: 'ann', [login.password]: 'secret' } },
  },
  {
    ...{ address: '/register', call: 'POST /api/user/register', path: 'username', label: register.username },
    button: register.submit,
    filled: { [register.username]: 'ann', [register.password]: 'long-enough', [register.confirm]: 'long-enough' },
  },
  {
    ...{ address: '/register', call: 'POST /api/user/register', path: 'verification_code', label: register.code },
    ...{ status: { email_verification: true }, button: register.submit },
    filled: {
      ...{ [register.username]: 'ann', [register.password]: 'long-enough', [register.confirm]: 'long-enough' },
      ...{ [register.email]: 'ann@example.com', [register.code]: '123' },
    },
  },
  {
    ...{ address: '/register', call: 'GET /api/verification', path: 'email', label: register.email },
    ...{ status: { email_verification: true }, button: register.getCode },
    filled: { [register.email]: 'ann@example.com' },
  },
  {
    ...{ address: '/reset', call: 'GET /api/reset_password', path: 'email', label: reset.email },
    ...{ button: reset.submit, filled: { [reset.email]: 'ann@example.com' } },
  },
  {
    ...{ address: '/setup', call: 'POST /api/setup', path: 'setup_token', label: setup.token.label },
    ...{ status: { setup: false }, button: setup.submit, code: 'setup-token-wrong', httpStatus: 400 },
    replies: {
      'GET /api/setup': success({ status: false, root_init: true, database_type: 'postgres', token_required: true }),
    },
    filled: { [setup.token.label]: 'guess' },
  },
];

describe('an error before sign-in', () => {
  it.each(forms)('focuses the field that it names: $path of $address', async (form) => {
    const { code = 'invalid', httpStatus = 200, path, label } = form;
    const fields = [{ path, code, params: { reason: REASON } }];
    const reply = refusal(REASON, form.code ?? 'invalid-input', { fields });
    await renderPage(form.address, {
      status: form.status,
      replies: { ...form.replies, [form.call]: json(reply, httpStatus) },
    });
    for (const [name, value] of Object.entries(form.filled))
      fireEvent.change(await screen.findByLabelText(name), { target: { value } });
    fireEvent.click(screen.getByRole('button', { name: form.button }));

    const input = screen.getByLabelText(label);
    await waitFor(() => expect(input.getAttribute('aria-invalid')).toBe('true'));
    expect(document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent).toBe(REASON);
    expect(document.activeElement).toBe(input);
    expect(input.closest('form')?.querySelector('[role=alert]')).toBeNull();
    fireEvent.change(input, { target: { value: 'other' } });
    expect(input.getAttribute('aria-invalid')).toBeNull();
  });
});
