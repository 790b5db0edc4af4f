import { adjustQuota, getBalances, type Page } from '@tollgate/contracts';
import type { PostingReply } from '@tollgate/contracts/api/journal';
import type { Token } from '@tollgate/contracts/api/token';
import type { TestCaller } from '@tollgate/testing';
import { v7 as uuidv7 } from 'uuid';
import { BookingService } from '../src/booking/booking.service.js';
import { type BillingTestBed, consumed } from './test-bed.js';

export const first: TestCaller = { id: 2, role: 10 };
export const second: TestCaller = { id: 3, role: 10 };

/** The actions of two administrators on wallets and tokens, and what they read about them. */
export function deskAt(testBed: () => BillingTestBed) {
  let nextUser = 700;
  const newUser = (): number => (nextUser += 1);
  const post = <T>(as: TestCaller, path: string, body?: unknown, headers?: Record<string, string>) =>
    testBed().harness.request<T>('POST', path, { as, body, headers });
  const read = async <T>(as: TestCaller, path: string, query: Record<string, string | number> = {}): Promise<T> => {
    const { body } = await testBed().harness.request<T>('GET', path, { as, query });
    if (!body.success) throw new Error(body.message);
    return body.data as T;
  };
  const journal = (query: Record<string, string | number>, as = first, path = '/api/journal') =>
    read<Page<PostingReply>>(as, path, query);
  const quotaOf = async (userId: number): Promise<number> =>
    (await testBed().call(getBalances, { userIds: [userId] })).balances[0]?.quota ?? Number.NaN;
  const codeOf = (body: object): unknown => (body as { code?: string }).code;
  const adjust = (userId: number, delta: number, more: object = {}) =>
    testBed().call(adjustQuota, {
      userId,
      delta,
      actorId: first.id,
      commandId: `command-${uuidv7()}`,
      reason: 'gift',
      ...more,
    });
  const refused = async (work: Promise<unknown>): Promise<{ code: string; details: { params?: { id?: number } } }> =>
    work.then(
      () => Promise.reject(new Error('it was not refused')),
      (error: unknown) => error as { code: string; details: { params?: { id?: number } } },
    );
  const spend = (userId: number, quota: number, model = 'gpt-4o-mini', tokenId = 0) => {
    const id = uuidv7();
    const event = consumed({ userId, tokenId, quota, model, group: 'vip', channelId: 9 }, id);
    return testBed().inContext(async () => {
      await testBed().get(BookingService).book([event]);
      return id;
    });
  };
  const newToken = async (userId: number, remain: number): Promise<Token> => {
    const as = { id: userId };
    await post(as, '/api/token/', { name: 'key', remain_quota: remain });
    const [token] = await read<Token[]>(as, '/api/token/');
    if (!token) throw new Error('no token');
    return token;
  };
  return { newUser, post, read, journal, quotaOf, codeOf, adjust, refused, spend, newToken };
}
