import { describe, expect, it } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { texts as shell } from '../../app/i18n/zh.js';
import { refusal, success } from '../../testing/fake-fetch.js';
import { admin, renderPage } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

const code = (id: number) => ({
  ...{ id, user_id: 2, key: `key-${id}`, status: 1, name: `code-${id}`, quota: 500_000 },
  ...{ created_time: 1_795_000_000, redeemed_time: 0, used_user_id: 0, expired_time: 0 },
});

describe('the drawer of a code', () => {
  it('shows no fields of one code at the address of another', async () => {
    const { router } = await renderPage('/redemption/edit/1', {
      user: admin,
      replies: {
        'GET /api/redemption/': success({ items: [code(1), code(2)], total: 2, page: 1, page_size: 10 }),
        'GET /api/redemption/sums': success([]),
        'GET /api/redemption/1': success(code(1)),
        'GET /api/redemption/2': refusal('failed', 'redemption-not-found'),
      },
    });
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>(zh.form.name).value).toBe('code-1'));
    await act(() => router.navigate('/redemption/edit/2'));
    const drawer = within(await screen.findByRole('dialog'));
    await drawer.findByRole('button', { name: shell.action.retry });
    expect(drawer.queryByLabelText(zh.form.name)).toBeNull();
  });
});
