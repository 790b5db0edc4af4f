import { describe, expect, it } from '@jest/globals';
import { describeKeyValue } from '@tollgate/testing';
import { MemoryKeyValue } from './memory-key-value.js';

describeKeyValue('memory', async () => {
  const store = new MemoryKeyValue();
  return { store, other: store, close: () => store.stop() };
});

describe('MemoryKeyValue', () => {
  it('stays within its size and lets the least recently written keys go', async () => {
    const store = new MemoryKeyValue({ maxKeys: 3 });
    for (const key of ['a', 'b', 'c']) await store.set(key, key, 60);
    await store.set('a', 'again', 60);
    await store.set('d', 'd', 60);
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((key) => store.get(key)))).toEqual([
      'again',
      undefined,
      'c',
      'd',
    ]);
    await store.stop();
  });

  it('counts admissions of the last window exactly, to the millisecond', async () => {
    let now = 0;
    const store = new MemoryKeyValue({ now: () => now });
    for (const at of [0, 400, 800]) {
      now = at;
      expect((await store.admit('w', 3, 1_000)).admitted).toBe(true);
    }
    now = 999;
    expect(await store.admit('w', 3, 1_000)).toEqual({ admitted: false, remaining: 0, retryAfterMs: 1 });
    now = 1_000;
    expect(await store.admit('w', 3, 1_000)).toMatchObject({ admitted: true, remaining: 0, retryAfterMs: 0 });
    expect(await store.admit('w', 1, 1_000)).toEqual({ admitted: false, remaining: 0, retryAfterMs: 1_000 });
    await store.stop();
  });

  it('keeps the times of the other places when one is given back', async () => {
    let now = 0;
    const store = new MemoryKeyValue({ now: () => now });
    await store.admit('w', 2, 1_000);
    now = 400;
    const { place = '' } = await store.admit('w', 2, 1_000);
    await store.giveBack('w', place);
    now = 800;
    await store.admit('w', 2, 1_000);
    expect(await store.admit('w', 2, 1_000)).toMatchObject({ admitted: false, retryAfterMs: 200 });
    await store.stop();
  });
});
