import { fireEvent, screen, within } from '@testing-library/react';
import type { Replies } from './fake-fetch.js';
import { success } from './fake-fetch.js';
import { person, renderPage, selfOf } from './render-page.js';

const models = Array.from({ length: 13 }, (_, index) => `model-${String(index).padStart(2, '0')}`);
export const self = (change: Record<string, unknown> = {}) =>
  success({
    ...selfOf(person),
    email: '',
    github_id: '',
    oidc_id: '',
    wechat_id: '',
    telegram_id: '',
    linux_do_id: '',
    aff_quota: 700_000,
    aff_history_quota: 900_000,
    aff_count: 2,
    ...change,
  });
const failedMail = {
  id: 1,
  user_id: 3,
  kind: 'quota_exceed',
  via: 'mail',
  target: 'bob@example.com',
  status: 'failed',
  attempts: 4,
  reason: 'mailbox full',
  created_at: 1_700_000_000,
  next_attempt_at: 0,
  finished_at: 1_700_000_100,
};
export const replies = (more: Replies = {}): Replies => ({
  'GET /api/user/self': self(),
  'GET /api/user/aff': success('AbC1'),
  'GET /api/user/models': success(models),
  'GET /api/user/self/2fa': success({ totp: false, passkeys: 0, recovery_codes: 0, required: false }),
  'GET /api/user/self/passkey': success([]),
  'GET /api/delivery/self': success({ items: [failedMail], total: 1, page: 1, page_size: 10 }),
  ...more,
});
export const openPersonal = (more: Replies = {}) => renderPage('/personal', { user: person, replies: replies(more) });
export const button = (name: string) => screen.findByRole('button', { name });
export const card = async (name: string) => within(await screen.findByRole('region', { name }));
export const type = (label: HTMLElement, value: string) => fireEvent.change(label, { target: { value } });
