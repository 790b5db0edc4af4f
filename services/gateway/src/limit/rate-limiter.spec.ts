import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { AppError, type Host, MemoryKeyValue } from '@tollgate/chassis';
import { RateLimiter } from './rate-limiter.js';
import type { RateLimitEnv } from './rate-limits.js';

let store: MemoryKeyValue;
afterEach(() => store.stop());

const DEFAULTS: RateLimitEnv = {
  TOLLGATE_RATE_LIMITS: 'on',
  GLOBAL_API_RATE_LIMIT_ENABLE: true,
  GLOBAL_API_RATE_LIMIT: 180,
  GLOBAL_API_RATE_LIMIT_DURATION: 180,
};

function limiter(env: Partial<RateLimitEnv> = {}): RateLimiter {
  store = new MemoryKeyValue();
  return new RateLimiter(store, { env: { ...DEFAULTS, ...env } } as Host);
}

function withoutStore(): RateLimiter {
  const made = limiter();
  jest.spyOn(store, 'admit').mockRejectedValue(new AppError('unavailable', 'service-unreachable', 'away'));
  return made;
}

describe('RateLimiter', () => {
  const refused = { kind: 'rate-limited', message: '请求次数过多，请稍后再试！' };
  const calls = async (made: RateLimiter, count: number): Promise<void> => {
    for (let call = 0; call < count; call += 1) await made.admit('api', '192.0.2.1', 5);
  };

  it('admits 180 calls per account in three minutes, separately for each account', async () => {
    const made = limiter();
    await calls(made, 180);
    await expect(made.admit('api', '192.0.2.1', 5)).rejects.toMatchObject(refused);
    await expect(made.admit('api', '192.0.2.1', 6)).resolves.toBeUndefined();
  });

  it('takes limit and window from the environment', async () => {
    const made = limiter({ GLOBAL_API_RATE_LIMIT: 2, GLOBAL_API_RATE_LIMIT_DURATION: 7 });
    await calls(made, 2);
    const error: unknown = await made.admit('api', '192.0.2.1', 5).catch((reason: unknown) => reason);
    expect(error).toMatchObject(refused);
    expect(Math.ceil((error as AppError).details.retryAfter ?? 0)).toBe(7);
  });

  it('can disable the limit of the console API alone', async () => {
    const made = limiter({ GLOBAL_API_RATE_LIMIT_ENABLE: false });
    await calls(made, 200);
    for (let attempt = 0; attempt < 20; attempt += 1) await made.admit('login', '192.0.2.1', undefined);
    await expect(made.admit('login', '192.0.2.1', undefined)).rejects.toMatchObject(refused);
  });

  describe.each(['code', 'oauth'] as const)('of calls of the class %s', (rate) => {
    const fromOffice = (made: RateLimiter, userId?: number) => made.admit(rate, '192.0.2.1', userId);

    it('counts signed-in callers by account, not with strangers at their address', async () => {
      const made = limiter();
      for (let call = 0; call < 20; call += 1) await fromOffice(made);
      await expect(fromOffice(made)).rejects.toMatchObject(refused);
      for (let call = 0; call < 20; call += 1) await fromOffice(made, 5);
      await expect(fromOffice(made, 5)).rejects.toMatchObject(refused);
      await expect(made.admit(rate, '192.0.2.2', 5)).rejects.toMatchObject(refused);
      await expect(fromOffice(made, 6)).resolves.toBeUndefined();
    });

    it('limits all accounts of one address together', async () => {
      const made = limiter();
      for (let call = 0; call < 200; call += 1) await fromOffice(made, 1 + (call % 100));
      await expect(fromOffice(made, 101)).rejects.toMatchObject(refused);
      await expect(fromOffice(made)).resolves.toBeUndefined();
      await expect(made.admit(rate, '192.0.2.2', 101)).resolves.toBeUndefined();
    });
  });

  it.each(['login', 'register'] as const)('counts calls of the class %s by address, whoever calls', async (rate) => {
    const made = limiter();
    for (let call = 0; call < 20; call += 1) await made.admit(rate, '192.0.2.1', call);
    await expect(made.admit(rate, '192.0.2.1', 21)).rejects.toMatchObject(refused);
  });

  it('can disable all limits', async () => {
    const made = limiter({ TOLLGATE_RATE_LIMITS: 'off' });
    for (let attempt = 0; attempt < 30; attempt += 1) await made.admit('login', '192.0.2.1', undefined);
    await calls(made, 200);
  });
});

describe('RateLimiter when its store fails', () => {
  it('admits calls of the console', async () => {
    await expect(withoutStore().admit('api', '192.0.2.1', 5)).resolves.toBeUndefined();
  });

  it.each(['login', 'register', 'code', 'oauth'] as const)('refuses calls of the class %s', async (rate) => {
    await expect(withoutStore().admit(rate, '192.0.2.1', undefined)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
