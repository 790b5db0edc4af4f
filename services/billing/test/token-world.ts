import type { Token } from '@tollgate/contracts/api/token';
import type { TestCaller } from '@tollgate/testing';
import { BookingService } from '../src/booking/booking.service.js';
import { type BillingTestBed, consumed, startBilling } from './test-bed.js';

export const EXHAUSTED = '令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度';

/** A billing service that gives registered users a token, and the calls by which its owner manages a token. */
export class TokenWorld {
  testBed!: BillingTestBed;
  private nextUser = 500;

  async open(): Promise<void> {
    this.testBed = await startBilling({ GroupRatio: '{"default":1,"svip":1}' }, { GENERATE_DEFAULT_TOKEN: 'true' });
  }

  async close(): Promise<void> {
    await this.testBed?.close();
  }

  newCaller(): TestCaller {
    return { id: (this.nextUser += 1) };
  }

  post(as: TestCaller, body: unknown) {
    return this.testBed.harness.request('POST', '/api/token/', { as, body });
  }

  put(as: TestCaller, body: unknown, query = {}) {
    return this.testBed.harness.request<Token>('PUT', '/api/token/', { as, body, query });
  }

  async list(as: TestCaller, query = {}): Promise<Token[]> {
    const { body } = await this.testBed.harness.request<Token[]>('GET', '/api/token/', { as, query });
    return body.success ? (body.data ?? []) : [];
  }

  async search(as: TestCaller, query: Record<string, string>): Promise<Token[]> {
    const { body } = await this.testBed.harness.request<Token[]>('GET', '/api/token/search', { as, query });
    return body.success ? (body.data ?? []) : [];
  }

  async create(as: TestCaller, body: object = {}): Promise<Token> {
    const reply = await this.post(as, { name: '我的API', remain_quota: 1000, ...body });
    if (!reply.body.success) throw new Error(reply.body.message);
    const [token] = await this.list(as, { size: 1 });
    if (!token) throw new Error('no token');
    return token;
  }

  spend(userId: number, tokenId: number, quota: number): Promise<unknown> {
    return this.testBed.inContext(() => this.testBed.get(BookingService).book([consumed({ userId, tokenId, quota })]));
  }
}
