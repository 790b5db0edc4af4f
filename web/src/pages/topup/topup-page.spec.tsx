import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { success } from '../../testing/fake-fetch.js';
import { person, renderPage } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

async function open(status: Record<string, unknown> = {}) {
  const view = await renderPage('/topup', {
    user: person,
    status: { enable_online_topup: true, min_topup: 10, ...status },
    replies: {
      'GET /api/user/topup': success({ items: [], total: 0, page: 1, page_size: 10 }),
      'POST /api/user/amount': { message: 'success', data: '73.00' },
    },
  });
  await screen.findByRole('heading', { level: 1, name: zh.title });
  return view;
}

describe('the wallet', () => {
  it('offers Alipay and no other way of the gateway', async () => {
    await open();
    const alipay = await screen.findByRole('button', { name: zh.pay.zfb });
    expect([...alipay.parentElement!.querySelectorAll('button')].map(({ textContent: text }) => text)).toEqual([
      zh.pay.zfb,
    ]);
  });

  it('names the least amount, and offers nothing where it is not reached', async () => {
    await open();
    fireEvent.change(await screen.findByLabelText(zh.pay.amount), { target: { value: '9' } });
    expect(await screen.findByText(zh.pay.below.replace('{{min}}', '10'))).toBeTruthy();
    expect(screen.getByRole('button', { name: zh.pay.zfb }).getAttribute('aria-disabled')).toBe('true');
  });

  it('says that online payment is off, and keeps the codes', async () => {
    await open({ enable_online_topup: false });
    expect(await screen.findByText(zh.pay.off)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: zh.redeem.run }));
    await waitFor(() => expect(screen.getByText(zh.redeem.empty)).toBeTruthy());
  });
});
