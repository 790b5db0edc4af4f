import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KeyValue } from '@tollgate/chassis';

/**
 * The tests that every adapter of the key-value port must pass. `other` is a second replica if the store is shared,
 * otherwise the same object as `store`.
 */
export function describeKeyValue(
  name: string,
  open: () => Promise<{ store: KeyValue; other: KeyValue; close(): Promise<void> }>,
): void {
  describe(`${name} as a key-value store`, () => {
    let store: KeyValue;
    let other: KeyValue;
    let close: () => Promise<void>;
    let counter = 0;
    const fresh = (): string => `contract:${process.pid}:${Date.now()}:${(counter += 1)}`;

    beforeAll(async () => {
      ({ store, other, close } = await open());
    }, 60_000);
    afterAll(() => close());

    it('keeps a value until its TTL ends', async () => {
      const key = fresh();
      await store.set(key, 'kept', 1);
      expect(await other.get(key)).toBe('kept');
      await pause(1_150);
      expect(await store.get(key)).toBeUndefined();
    });

    it('replaces value and TTL on every set', async () => {
      const key = fresh();
      await store.set(key, 'first', 1);
      await store.set(key, 'second', 60);
      await pause(1_150);
      expect(await store.get(key)).toBe('second');
    });

    it('deletes keys, also unknown ones', async () => {
      const [one, two] = [fresh(), fresh()];
      await store.set(one, '1', 60);
      await store.set(two, '2', 60);
      await store.delete(one, two, fresh());
      expect([await store.get(one), await store.get(two)]).toEqual([undefined, undefined]);
    });

    it('forgets the admissions of a deleted key', async () => {
      const key = fresh();
      await store.admit(key, 1, 60_000);
      await other.delete(key);
      expect(await store.admit(key, 1, 60_000)).toMatchObject({ admitted: true, remaining: 0 });
    });

    it('lets exactly one caller set an absent key', async () => {
      const key = fresh();
      const won = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? store : other).setIfAbsent(key, String(index), 60)),
      );
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await store.get(key)).toBe(String(won.indexOf(true)));
    });

    it('allows an expired key to be set again', async () => {
      const key = fresh();
      expect(await store.setIfAbsent(key, '1', 1)).toBe(true);
      await pause(1_150);
      expect(await store.setIfAbsent(key, '2', 60)).toBe(true);
    });

    it('extends a key only while it has the given value', async () => {
      const [mine, gone] = [fresh(), fresh()];
      await store.set(mine, 'me', 2);
      expect(await other.extend(mine, 'you', 60)).toBe(false);
      expect(await other.extend(mine, 'me', 60)).toBe(true);
      await store.set(gone, 'me', 2);
      await pause(2_150);
      expect([await store.get(mine), await store.extend(gone, 'me', 60), await store.get(gone)]).toEqual([
        ...['me', false, undefined],
      ]);
    });

    it('deletes a key only while it has the given value, for one of several callers', async () => {
      const key = fresh();
      await store.set(key, 'me', 60);
      expect(await other.deleteIf(key, 'you')).toBe(false);
      const deleted = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? store : other).deleteIf(key, 'me')),
      );
      expect(deleted.filter(Boolean)).toHaveLength(1);
      expect([await store.get(key), await store.deleteIf(key, 'me')]).toEqual([undefined, false]);
    });

    it('gives a taken value to exactly one caller', async () => {
      const key = fresh();
      await store.set(key, 'once', 60);
      const taken = await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 ? store : other).take(key)));
      expect(taken.filter((value) => value !== undefined)).toEqual(['once']);
      expect(await store.get(key)).toBeUndefined();
    });

    it('counts every increment once, with the TTL of the first', async () => {
      const key = fresh();
      const counts = await Promise.all(
        Array.from({ length: 50 }, (_, index) => (index % 2 ? store : other).increment(key, 2, 3)),
      );
      expect([...counts].sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => (index + 1) * 2));
      await pause(600);
      expect(await store.increment(key, -1, 60)).toBe(99);
      await pause(2_600);
      expect(await store.get(key)).toBeUndefined();
    });

    it('admits exactly the limit within a window, over all callers', async () => {
      const key = fresh();
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) => (index % 2 ? store : other).admit(key, 10, 5_000)),
      );
      const admitted = answers.filter((answer) => answer.admitted);
      expect(admitted).toHaveLength(10);
      expect(admitted.map(({ remaining }) => remaining).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      for (const { retryAfterMs } of answers.filter((answer) => !answer.admitted)) {
        expect(retryAfterMs).toBeGreaterThan(3_000);
        expect(retryAfterMs).toBeLessThanOrEqual(5_000);
      }
    });

    it('slides: a place is free when its admission leaves the window, and a refusal takes none', async () => {
      const key = fresh();
      expect((await store.admit(key, 2, 4_000)).admitted).toBe(true);
      // Half of the window, so that a busy machine may be late by the other half before and after it.
      await pause(2_000);
      expect((await store.admit(key, 2, 4_000)).admitted).toBe(true);
      const refused = await store.admit(key, 2, 4_000);
      expect(refused.admitted).toBe(false);
      await pause(refused.retryAfterMs + 30);
      expect((await store.admit(key, 2, 4_000)).admitted).toBe(true);
      expect((await store.admit(key, 2, 4_000)).admitted).toBe(false);
    });

    it('gives back exactly the place that was taken, once', async () => {
      const key = fresh();
      const [first, second] = [await store.admit(key, 2, 60_000), await store.admit(key, 2, 60_000)];
      const refused = await store.admit(key, 2, 60_000);
      expect([first.place, second.place, refused.place]).toEqual([expect.any(String), expect.any(String), undefined]);
      for (let turn = 0; turn < 2; turn += 1) await other.giveBack(key, first.place ?? '');
      expect(await store.admit(key, 2, 60_000)).toMatchObject({ admitted: true, remaining: 0 });
      await other.giveBack(key, first.place ?? '');
      expect((await store.admit(key, 2, 60_000)).admitted).toBe(false);
      await store.giveBack(key, second.place ?? '');
      expect(await other.admit(key, 2, 60_000)).toMatchObject({ admitted: true, remaining: 0 });
    });

    it('gives back nothing where the key is unknown or was deleted', async () => {
      const key = fresh();
      const { place = '' } = await store.admit(key, 1, 60_000);
      await store.delete(key);
      await store.giveBack(key, place);
      expect((await store.admit(key, 1, 60_000)).admitted).toBe(true);
      await store.giveBack(key, place);
      expect((await store.admit(key, 1, 60_000)).admitted).toBe(false);
    });

    it('admits nothing at limit 0', async () => {
      expect(await store.admit(fresh(), 0, 1_000)).toMatchObject({ admitted: false, remaining: 0 });
    });

    it('publishes to every replica until its subscription ends', async () => {
      const channel = fresh();
      const heard: string[] = [];
      const hears = async (count: number): Promise<void> => {
        for (let attempt = 0; heard.length < count && attempt < 500; attempt += 1) await pause(20);
        await pause(200); // in which nothing more may come
      };
      const leave = await store.subscribe(channel, (message) => heard.push(`a:${message}`));
      const leaveOther = await other.subscribe(channel, (message) => heard.push(`b:${message}`));
      await store.publish(channel, 'look');
      await hears(2);
      expect([...heard].sort()).toEqual(['a:look', 'b:look']);
      await leave();
      await other.publish(channel, 'again');
      await hears(3);
      expect([...heard].sort()).toEqual(['a:look', 'b:again', 'b:look']);
      await leaveOther();
    });

    it('answers a ping', async () => {
      await expect(store.ping()).resolves.toBeUndefined();
    });
  });
}
