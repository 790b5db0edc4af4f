import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { AppError, type Host, MemoryKeyValue } from '@tollgate/chassis';
import { RateLimiter } from './rate-limiter.js';

let store: MemoryKeyValue;
afterEach(() => store.stop());

function withoutStore(): RateLimiter {
  store = new MemoryKeyValue();
  jest.spyOn(store, 'admit').mockRejectedValue(new AppError('unavailable', 'service-unreachable', 'away'));
  return new RateLimiter(store, { env: { TOLLGATE_RATE_LIMITS: 'on' } } as Host);
}

describe('RateLimiter without its store', () => {
  it('lets calls of the console through', async () => {
    await expect(withoutStore().admit('api', '192.0.2.1', 5)).resolves.toBeUndefined();
  });

  it.each(['login', 'register', 'code', 'oauth'] as const)('lets nobody guess at %s', async (rate) => {
    await expect(withoutStore().admit(rate, '192.0.2.1', undefined)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
