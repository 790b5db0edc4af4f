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
