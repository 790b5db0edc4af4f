import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { texts as shell } from '../../app/i18n/zh.js';
import type { Call } from '../../testing/fake-fetch.js';
import { success } from '../../testing/fake-fetch.js';
import { person, renderPage, selfOf } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

/** A fake server whose reply to a write waits for the test. */
async function open() {
  let answer: () => void = () => undefined;
  let stored: Record<string, unknown> = { ...selfOf(person), email: '', aff_quota: 0, aff_history_quota: 0 };
  const taking = (apply: (body: Record<string, unknown>) => Record<string, unknown>) => async (call: Call) => {
    await new Promise<void>((resolve) => (answer = resolve));
    stored = { ...stored, ...apply(call.body as Record<string, unknown>) };
    return success();
  };
  const { network } = await renderPage('/personal', {
    user: person,
    replies: {
      'GET /api/user/self': () => success(stored),
      'GET /api/user/aff': success('AbC1'),
      'GET /api/user/models': success([]),
      'GET /api/user/self/2fa': success({ totp: false, passkeys: 0, recovery_codes: 0, required: false }),
      'GET /api/user/self/passkey': success([]),
      'GET /api/delivery/self': success({ items: [], total: 0, page: 1, page_size: 10 }),
      'PUT /api/user/self': taking((change) => change),
      'PUT /api/user/setting': taking(({ expected: _, webhook_secret: secret, ...setting }) => ({
        setting: JSON.stringify({ ...setting, ...(secret !== undefined && { webhook_secret_set: true }) }),
      })),
    },
  });
  const bodies = (path: string) => network.of('PUT', path).map(({ body }) => body as Record<string, unknown>);
  return { bodies, answer: () => act(async () => answer()) };
}
const card = async (name: string) => within(await screen.findByRole('region', { name }));
const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });

describe('what is typed while a personal form is being saved', () => {
  it('stays in the profile, and is saved next on top of the saved values', async () => {
    const { bodies, answer } = await open();
    const profile = await card(zh.profile.title);
    const name = profile.getByLabelText<HTMLInputElement>(zh.profile.displayName);
    const save = () => fireEvent.click(profile.getByRole('button', { name: zh.save }));
    type(name, 'Rob');
    save();
    await waitFor(() => expect(bodies('/api/user/self')).toHaveLength(1));
    type(name, 'Robert');
    await answer();
    await screen.findByText(zh.profile.saved);
    expect(name.value).toBe('Robert');
    expect(profile.getByRole('button', { name: shell.action.undo })).toBeTruthy();
    save();
    await waitFor(() =>
      expect(bodies('/api/user/self')).toEqual([{ display_name: 'Rob' }, { display_name: 'Robert' }]),
    );
    await answer();
    await waitFor(() => expect(profile.queryByRole('button', { name: shell.action.undo })).toBeNull());
    expect(name.value).toBe('Robert');
  });

  it('stays in the profile even if it equals the former value', async () => {
    const { bodies, answer } = await open();
    const profile = await card(zh.profile.title);
    const name = profile.getByLabelText<HTMLInputElement>(zh.profile.displayName);
    type(name, 'Rob');
    fireEvent.click(profile.getByRole('button', { name: zh.save }));
    await waitFor(() => expect(bodies('/api/user/self')).toHaveLength(1));
    type(name, person.display_name);
    await answer();
    await screen.findByText(zh.profile.saved);
    expect(name.value).toBe(person.display_name);
    expect(profile.getByRole('button', { name: shell.action.undo })).toBeTruthy();
  });

  it('stays in the notification form, including a newly typed secret, while a sent secret is cleared', async () => {
    const { bodies, answer } = await open();
    const notify = await card(zh.notify.title);
    fireEvent.click(notify.getByLabelText(zh.notify.byWebhook));
    const url = await notify.findByLabelText<HTMLInputElement>(zh.notify.url);
    const secret = notify.getByLabelText<HTMLInputElement>(zh.notify.secret);
    const save = () => fireEvent.click(notify.getByRole('button', { name: zh.save }));
    type(url, 'https://a.b/c');
    type(secret, 'hush');
    save();
    await waitFor(() => expect(bodies('/api/user/setting')).toHaveLength(1));
    type(url, 'https://a.b/d');
    await answer();
    await screen.findByText(zh.notify.saved);
    expect([url.value, secret.value]).toEqual(['https://a.b/d', '']);
    save();
    await waitFor(() => expect(bodies('/api/user/setting')).toHaveLength(2));
    expect(bodies('/api/user/setting')[1]).toMatchObject({ webhook_url: 'https://a.b/d' });
    expect(bodies('/api/user/setting')[1]).toMatchObject({ expected: { webhook_url: 'https://a.b/c' } });
    type(secret, 'hush hush');
    await answer();
    await waitFor(() => expect(notify.getByRole('button', { name: shell.action.undo })).toBeTruthy());
    expect([url.value, secret.value]).toEqual(['https://a.b/d', 'hush hush']);
  });

  it('stays in the switch of the price card', async () => {
    const { bodies, answer } = await open();
    const price = await card(zh.price.title);
    const accept = price.getByLabelText<HTMLInputElement>(zh.price.accept);
    fireEvent.click(accept);
    fireEvent.click(price.getByRole('button', { name: zh.save }));
    await waitFor(() => expect(bodies('/api/user/setting')).toHaveLength(1));
    fireEvent.click(accept);
    await answer();
    await screen.findByText(zh.price.saved);
    expect(accept.checked).toBe(false);
    expect(price.getByRole('button', { name: shell.action.undo })).toBeTruthy();
  });
});
