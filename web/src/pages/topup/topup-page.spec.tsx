import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { selectJobs } from '../../app/slices/jobs.js';
import type { Call, Replies } from '../../testing/fake-fetch.js';
import { refusal, success } from '../../testing/fake-fetch.js';
import { admin, person, renderPage, selfOf } from '../../testing/render-page.js';
import { texts as shell } from '../../app/i18n/zh.js';
import { texts as zh } from './zh.js';

async function open(status: Record<string, unknown> = {}, replies: Replies = {}) {
  const view = await renderPage('/topup', {
    user: person,
    status: { enable_online_topup: true, min_topup: 10, ...status },
    replies: {
      'GET /api/user/topup': success({ items: [], total: 0, page: 1, page_size: 10 }),
      'POST /api/user/amount': success('73.00', { message: 'success' }),
      ...replies,
    },
  });
  await screen.findByRole('heading', { level: 1, name: zh.title });
  return view;
}

describe('the wallet', () => {
  it('offers Alipay and no other method of the gateway', async () => {
    await open();
    const alipay = await screen.findByRole('button', { name: zh.pay.zfb });
    expect([...alipay.parentElement!.querySelectorAll('button')].map(({ textContent: text }) => text)).toEqual([
      zh.pay.zfb,
    ]);
  });

  it('shows the least amount, and does not offer to pay less', async () => {
    await open();
    fireEvent.change(await screen.findByLabelText(zh.pay.amount), { target: { value: '9' } });
    expect(await screen.findByText(zh.pay.below.replace('{{min}}', '10'))).toBeTruthy();
    for (const [text, problem] of [
      ['1.5', zh.pay.bad],
      ['-3', zh.pay.below.replace('{{min}}', '10')],
    ] as const) {
      fireEvent.change(screen.getByLabelText(zh.pay.amount), { target: { value: text } });
      expect(await screen.findByText(problem)).toBeTruthy();
    }
    expect(screen.getByRole('button', { name: zh.pay.zfb }).getAttribute('aria-disabled')).toBe('true');
  });

  it('names what is to be paid before it asks, as the server says at that moment', async () => {
    let cost = '73.00';
    await open({}, { 'POST /api/user/amount': () => success(cost, { message: 'success' }) });
    await screen.findByText(zh.pay.cost.replace('{{amount}}', '73.00'));
    cost = '80.00';
    fireEvent.click(screen.getByRole('button', { name: zh.pay.zfb }));
    const dialog = await screen.findByRole('alertdialog');
    expect(dialog.textContent).toContain(zh.pay.cost.replace('{{amount}}', '80.00'));
  });

  it('says why the price of an amount is refused, and does not ask to pay it', async () => {
    await open({}, { 'POST /api/user/amount': { success: false, message: 'error', data: 'too much' } });
    expect(await screen.findByText(shell.errors.other.replace('{{message}}', 'too much'))).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: zh.pay.zfb }));
    await waitFor(() => expect(screen.getAllByText(/too much/).length).toBeGreaterThan(1));
    expect(screen.queryByRole('alertdialog')).toBeNull();
  });

  it('forgets why an amount was refused when it is paid after all', async () => {
    jest.spyOn(window, 'open').mockReturnValue(null);
    let answer: (reply: unknown) => void = () => undefined;
    const { network } = await open(
      {},
      {
        'POST /api/user/pay': () => new Promise((resolve) => (answer = resolve)),
        'GET /api/user/topup/self': success({ items: [], total: 0, page: 1, page_size: 10 }),
      },
    );
    const field = await screen.findByLabelText(zh.pay.amount);
    const pay = async (times: number) => {
      fireEvent.click(screen.getByRole('button', { name: zh.pay.zfb }));
      fireEvent.click(await screen.findByRole('button', { name: zh.pay.yes }));
      await waitFor(() => expect(network.of('POST', '/api/user/pay')).toHaveLength(times));
    };
    const refused = () => field.getAttribute('aria-invalid') === 'true';
    await pay(1);
    const fields = [{ path: 'amount', code: 'top-up-too-large' }];
    await act(async () => answer({ ...refusal('too large', 'top-up-too-large'), fields }));
    await waitFor(() => expect(refused()).toBe(true));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    await pay(2);
    expect(refused()).toBe(false);
    await act(async () => answer({ success: true, message: 'success', data: {}, url: 'about:blank', trade_no: 'T9' }));
    await screen.findByText(zh.result.unknown.replace('{{no}}', 'T9'));
    expect(refused()).toBe(false);
  });

  it('says that online payment is off, and still offers to redeem codes', async () => {
    await open({ enable_online_topup: false });
    expect(await screen.findByText(zh.pay.off)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: zh.redeem.run }));
    await waitFor(() => expect(screen.getByText(zh.redeem.empty)).toBeTruthy());
  });

  it('keeps the next code that was typed while one was redeemed', async () => {
    let answer: (quota: unknown) => void = () => undefined;
    const { network } = await open({}, { 'POST /api/user/topup': () => new Promise((resolve) => (answer = resolve)) });
    const field = await screen.findByLabelText<HTMLInputElement>(zh.redeem.code);
    fireEvent.change(field, { target: { value: 'first' } });
    fireEvent.click(screen.getByRole('button', { name: zh.redeem.run }));
    await waitFor(() => expect(network.of('POST', '/api/user/topup')).toHaveLength(1));
    fireEvent.change(field, { target: { value: 'second' } });
    await act(async () => answer(success(500_000)));
    await screen.findByRole('dialog', { name: zh.redeem.done });
    expect(field.value).toBe('second');
  });
});

describe('the order to which a payment provider redirects back', () => {
  const order = {
    ...{ id: 1, user_id: 3, trade_no: 'T1', provider: 'epay', payment_method: 'alipay', status: 'paid', amount: 1 },
    ...{ quota: 500_000, money: '7.30', currency: 'CNY', create_time: 1, expire_time: 2, complete_time: 2 },
    refund_time: 0,
  };

  it('shows nothing of one order when another cannot be loaded', async () => {
    const { router } = await renderPage('/topup?order=T1', {
      user: person,
      replies: {
        'GET /api/user/topup/self': ({ query }: Call) =>
          query.get('keyword') === 'T2'
            ? refusal('failed', 'internal')
            : success({ items: [order], total: 1, page: 1, page_size: 10 }),
      },
    });
    await screen.findByText(zh.result.paid.replace('{{quota}}', '$1.00'));
    await act(() => router.navigate('/topup?order=T2'));
    expect((await screen.findByRole('alert')).textContent).toContain('failed');
    expect(screen.queryByText(zh.result.unknown.replace('{{no}}', 'T2'))).toBeNull();
  });
});

describe('a payment that arrives while the live stream is down', () => {
  const order = (status: string) => ({
    ...{ id: 1, user_id: 3, trade_no: 'T1', provider: 'epay', payment_method: 'alipay', status, amount: 1 },
    ...{ quota: 500_000, money: '7.30', currency: 'CNY', create_time: 1, expire_time: 2, complete_time: 2 },
    refund_time: 0,
  });
  afterEach(() => void jest.useRealTimers());

  it('shows the new balance with the paid order, and closes its message alone', async () => {
    jest.useFakeTimers({ advanceTimers: true });
    let [status, quota] = ['pending', 500_000];
    const { router } = await renderPage('/topup?order=T1&status=pending', {
      user: person,
      replies: {
        'GET /api/user/self': () => success({ ...selfOf(person), quota }),
        'GET /api/user/topup/self': () => success({ items: [order(status)], total: 1, page: 1, page_size: 10 }),
      },
    });
    const words = (text: string) => text.replace('{{quota}}', '$1.00').replace('{{no}}', 'T1');
    await screen.findByText(words(zh.result.pending));
    const tile = () => screen.getByText(zh.balance.left).parentElement!;
    await waitFor(() => expect(tile().textContent).toContain('$1.00'));
    [status, quota] = ['paid', 1_000_000];
    await act(() => jest.advanceTimersByTimeAsync(3000));
    await screen.findByText(words(zh.result.paid));
    await waitFor(() => expect(tile().textContent).toContain('$2.00'));
    fireEvent.click(screen.getByRole('button', { name: shell.action.close }));
    await waitFor(() => expect(router.state.location.search).toBe('?status=pending'));
  });
});

describe('the orders', () => {
  const none = success({ items: [], total: 0, page: 1, page_size: 10 });

  it('filtered by a user require a number', async () => {
    await renderPage('/topup?orders=all', { user: admin, replies: { 'GET /api/user/topup': none } });
    const field = await screen.findByLabelText(zh.search.user);
    fireEvent.change(field, { target: { value: 'ann' } });
    fireEvent.keyDown(field, { key: 'Enter' });
    expect(await screen.findByText(shell.form.digits)).toBeTruthy();
  });

  it.each([
    ['zh', 'CNY', zh.pay.yuan.replace('{{amount}}', '7.30')],
    ['en', 'CNY', '¥7.30'],
    ['en', 'USD', '7.30 USD'],
  ] as const)('name the currency as the pay card does: %s, %s', async (language, currency, text) => {
    const order = {
      ...{ id: 1, user_id: 3, trade_no: 'T1', provider: 'epay', payment_method: 'alipay', status: 'paid', amount: 1 },
      ...{ quota: 500_000, money: '7.30', currency, create_time: 1, expire_time: 2, complete_time: 2, refund_time: 0 },
    };
    const one = success({ items: [order], total: 1, page: 1, page_size: 10 });
    await renderPage('/topup', { user: person, language, replies: { 'GET /api/user/topup/self': one } });
    expect((await screen.findByText(text)).title).toBe(text);
  });

  it('are exported into one file, however often the button is pressed', async () => {
    const { createObjectURL, revokeObjectURL } = URL;
    Object.assign(URL, { createObjectURL: () => '#', revokeObjectURL: () => undefined });
    const order = {
      ...{ id: 1, user_id: 3, trade_no: 'T1', provider: 'epay', payment_method: 'alipay', status: 'paid', amount: 1 },
      ...{ quota: 500_000, money: '7.30', currency: 'CNY', create_time: 1, expire_time: 2, complete_time: 2 },
      refund_time: 0,
    };
    const one = success({ items: [order], total: 1, page: 1, page_size: 100 });
    const { store } = await renderPage('/topup', { user: person, replies: { 'GET /api/user/topup/self': one } });
    const button = await screen.findByRole('button', { name: zh.orders.export });
    fireEvent.click(button);
    fireEvent.click(button);
    const jobs = () => selectJobs(store.getState());
    await waitFor(() => expect(jobs().some(({ state }) => state === 'done')).toBe(true));
    await waitFor(() => expect(jobs().every(({ state }) => state === 'done')).toBe(true));
    expect(jobs()).toHaveLength(1);
    Object.assign(URL, { createObjectURL, revokeObjectURL });
  });
});
