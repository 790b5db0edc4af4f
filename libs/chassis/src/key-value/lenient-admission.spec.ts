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

  it('gives back a place that is granted too late', async () => {
    let answer: (admission: Admission) => void = () => undefined;
    const slow = answering(() => new Promise((resolve) => (answer = resolve)));
    const returned = new Promise((resolve) => {
      jest.spyOn(slow, 'giveBack').mockImplementation(async (...place) => resolve(place));
    });
    expect((await admitLeniently(slow, { ...window, returnsPlace: true })).place).toBeUndefined();
    answer({ admitted: true, remaining: 1, retryAfterMs: 0, place: 'p' });
    expect(await returned).toEqual(['k', 'p']);
  });

  it('passes on other errors', async () => {
    const broken = answering(() => Promise.reject(new TypeError('a bug')));
    await expect(admitLeniently(broken, window)).rejects.toThrow('a bug');
  });
});
