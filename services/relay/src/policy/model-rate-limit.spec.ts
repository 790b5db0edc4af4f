import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { AppError, MemoryKeyValue, type OptionStore } from '@tollgate/chassis';
import { ModelRateLimit } from './model-rate-limit.js';

const BY_SUCCESS = { status: 429, message: expect.stringContaining('您已达到请求数限制') };
const BY_TOTAL = { status: 429, message: expect.stringContaining('您已达到总请求数限制') };
const SUCCESS_KEY = 'rateLimit:MRRLS:7';

let store: MemoryKeyValue;
afterEach(() => store.stop());

/** A limit of so many requests and so many successful ones in a minute. */
function limitOf(total: number, success: number, enabled = true): { keyValue: MemoryKeyValue; limit: ModelRateLimit } {
  store = new MemoryKeyValue();
  const values: Record<string, unknown> = {
    ModelRequestRateLimitEnabled: enabled,
    ModelRequestRateLimitDurationMinutes: 1,
    ModelRequestRateLimitCount: total,
    ModelRequestRateLimitSuccessCount: success,
    ModelRequestRateLimitGroup: {},
  };
  const options = { get: (key: string) => values[key] } as unknown as OptionStore;
  return { keyValue: store, limit: new ModelRateLimit(store, options) };
}

const call = (limit: ModelRateLimit, work: (succeeded: () => void) => Promise<void>): Promise<void> =>
  limit.counted(7, 'default', work);
const succeed = (succeeded: () => void): Promise<void> => Promise.resolve(succeeded());
const fail = (): Promise<void> => Promise.resolve();
const refuse = (): Promise<void> => Promise.reject(new Error('a later check'));

describe('ModelRateLimit', () => {
  it('counts a call while it is under way', async () => {
    const { limit } = limitOf(0, 1);
    let end = (): void => undefined;
    const running = call(limit, (succeeded) => new Promise<void>((resolve) => (end = resolve)).then(succeeded));
    await expect(call(limit, succeed)).rejects.toMatchObject(BY_SUCCESS);
    end();
    await running;
    await expect(call(limit, succeed)).rejects.toMatchObject(BY_SUCCESS);
  });

  it('does not count calls among the successful ones that failed or were refused by a later check', async () => {
    const { limit } = limitOf(0, 1);
    await call(limit, fail);
    await expect(call(limit, refuse)).rejects.toThrow('a later check');
    await call(limit, succeed);
    await expect(call(limit, fail)).rejects.toMatchObject(BY_SUCCESS);
  });

  it('gives back only its own place', async () => {
    const { limit } = limitOf(0, 2);
    await call(limit, succeed);
    for (let turn = 0; turn < 3; turn += 1) await call(limit, fail);
    await call(limit, succeed);
    await expect(call(limit, succeed)).rejects.toMatchObject(BY_SUCCESS);
  });

  it('counts failed calls among all, and takes no place for a successful one when it refuses by that limit', async () => {
    const { limit, keyValue } = limitOf(2, 1);
    await call(limit, fail);
    await call(limit, fail);
    await expect(call(limit, succeed)).rejects.toMatchObject(BY_TOTAL);
    expect(await keyValue.admit(SUCCESS_KEY, 1, 60_000)).toMatchObject({ admitted: true, remaining: 0 });
  });

  it('asks no store while it is off', async () => {
    const { limit, keyValue } = limitOf(1, 1, false);
    const admit = jest.spyOn(keyValue, 'admit');
    for (const work of [succeed, succeed, fail]) await call(limit, work);
    expect(admit).not.toHaveBeenCalled();
  });

  it('admits every call while the store is away', async () => {
    const { limit, keyValue } = limitOf(1, 1);
    const away = (): Promise<never> => Promise.reject(new AppError('unavailable', 'service-unreachable', 'away'));
    jest.spyOn(keyValue, 'admit').mockImplementation(away);
    for (const work of [succeed, succeed, fail]) await call(limit, work);
  });

  it('answers a failed call also where the store went away meanwhile', async () => {
    const { limit, keyValue } = limitOf(0, 1);
    const giveBack = jest.spyOn(keyValue, 'giveBack').mockRejectedValue(new Error('away'));
    await call(limit, fail);
    expect(giveBack).toHaveBeenCalledTimes(1);
  });
});
