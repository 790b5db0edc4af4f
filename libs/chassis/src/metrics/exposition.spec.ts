import { describe, expect, it } from '@jest/globals';
import { Scrapes } from './exposition.js';

describe('Scrapes', () => {
  it('gathers once for readers at the same time and within a second, then anew', async () => {
    let [now, count] = [0, 0];
    const scrapes = new Scrapes(
      async () => `page ${(count += 1)}`,
      () => now,
    );
    expect(await Promise.all([scrapes.read(), scrapes.read(), scrapes.read()])).toEqual(['page 1', 'page 1', 'page 1']);
    now = 999;
    expect(await scrapes.read()).toBe('page 1');
    now = 1000;
    expect(await scrapes.read()).toBe('page 2');
  });

  it('does not start a second collection while one is running', async () => {
    let [now, count] = [0, 0];
    let finish = (): void => undefined;
    const scrapes = new Scrapes(
      () => new Promise((resolve) => (finish = () => resolve(`page ${(count += 1)}`))),
      () => now,
    );
    const first = scrapes.read();
    now = 60_000;
    const second = scrapes.read();
    finish();
    expect([await first, await second]).toEqual(['page 1', 'page 1']);
  });

  it('does not cache a failure', async () => {
    let fails = true;
    const scrapes = new Scrapes(
      () => (fails ? Promise.reject(new Error('away')) : Promise.resolve('page')),
      () => 0,
    );
    await expect(scrapes.read()).rejects.toThrow('away');
    fails = false;
    expect(await scrapes.read()).toBe('page');
  });
});
