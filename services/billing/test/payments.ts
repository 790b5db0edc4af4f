import { getBalances, type Page } from '@tollgate/contracts';
import type { TopUpDetail, TopUpOrder } from '@tollgate/contracts/api/top-up';
import type { TestCaller } from '@tollgate/testing';
import { signedEpayFields } from '../src/payment/epay.js';
import type { BillingTestBed } from './test-bed.js';

export const EPAY_KEY = 'merchant-key';
export const epayOptions = {
  PayAddress: 'https://pay.example',
  EpayId: '1001',
  EpayKey: EPAY_KEY,
  ServerAddress: 'https://tollgate.example',
  TopupGroupRatio: '{"default":1,"vip":0.85}',
};
export const admin: TestCaller = { id: 2, role: 10 };

export type Fields = Record<string, string>;

/** The actions of paying users, and the notices of the EasyPay gateway. */
export function paymentsAt(testBed: () => BillingTestBed) {
  let nextUser = 300;
  const newCaller = (group = 'default'): TestCaller => ({ id: (nextUser += 1), group });
  const post = (as: TestCaller, path: string, body: unknown) => testBed().harness.request('POST', path, { as, body });
  const pay = async (as: TestCaller, amount = 1): Promise<Fields> => {
    const { body } = await post(as, '/api/user/pay', { amount, payment_method: 'zfb', top_up_code: '' });
    return body['data'] as Fields;
  };
  const noticeOf = (form: Fields, change: Fields = {}, key = EPAY_KEY): Fields => {
    const { pid = '', type = '', out_trade_no = '', money = '', name = '' } = form;
    return signedEpayFields(
      { pid, type, out_trade_no, money, name, trade_no: '2026', trade_status: 'TRADE_SUCCESS', ...change },
      key,
    );
  };
  const notify = async (fields: Fields): Promise<string> =>
    (await testBed().harness.request('GET', '/api/user/epay/notify', { query: fields })).text;
  const orders = async (as: TestCaller, path = '/api/user/topup/self', query = {}): Promise<Page<TopUpOrder>> => {
    const { body } = await testBed().harness.request<Page<TopUpOrder>>('GET', path, { as, query });
    if (!body.success || !body.data) throw new Error(body.message);
    return body.data;
  };
  const orderOf = async (as: TestCaller): Promise<TopUpOrder> => {
    const [order] = (await orders(as)).items;
    if (!order) throw new Error('no order');
    return order;
  };
  const detail = async (id: number, as = admin): Promise<TopUpDetail> => {
    const { body } = await testBed().harness.request<TopUpDetail>('GET', `/api/user/topup/${id}`, { as });
    if (!body.success || !body.data) throw new Error(body.message);
    return body.data;
  };
  const quotaOf = async ({ id }: TestCaller) =>
    (await testBed().call(getBalances, { userIds: [id] })).balances[0]?.quota;
  return { newCaller, post, pay, noticeOf, notify, orders, orderOf, detail, quotaOf };
}
