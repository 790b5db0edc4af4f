import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { AppError } from '../errors/app-error.js';
import type { Admission } from './key-value.js';
import { admitLeniently } from './lenient-admission.js';
import { MemoryKeyValue } from './memory-key-value.js';

const window = { key: 'k', limit: 2, windowMs: 60_000 };

let store: MemoryKeyValue;
afterEach(() => store.stop());

function answering(answer: () => Promise<Admission>): MemoryKeyValue {
  store = new MemoryKeyValue();
  jest.spyOn(store, 'admit').mockImplementation(answer);
  return store;
}

describe('admitLeniently', () => {
  it('counts like the store while that answers', async () => {
    store = new MemoryKeyValue();
    const admissions = [];
    for (let call = 0; call < 3; call += 1) admissions.push((await admitLeniently(store, window)).admitted);
    expect(admissions).toEqual([true, true, false]);
  });

  it('admits everybody while the store is away', async () => {
    const away = answering(() => Promise.reject(new AppError('unavailable', 'service-unreachable', 'away')));
    expect(await admitLeniently(away, window)).toEqual({ admitted: true, remaining: 2, retryAfterMs: 0 });
  });

  it('does not wait for a store that hangs', async () => {
    const silent = answering(() => new Promise(() => undefined));
    expect((await admitLeniently(silent, window)).admitted).toBe(true);
  });

  it('passes on other errors', async () => {
    const broken = answering(() => Promise.reject(new TypeError('a bug')));
    await expect(admitLeniently(broken, window)).rejects.toThrow('a bug');
  });
});
