import { describe, expect, it } from '@jest/globals';
import { eachOf } from './each-of.js';

describe('eachOf', () => {
  it('processes every item once, and never more at a time than allowed', async () => {
    const done: number[] = [];
    let running = 0;
    let most = 0;
    await eachOf([...Array(20).keys()], 3, async (item) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      done.push(item);
    });
    expect(most).toBe(3);
    expect(done.sort((a, b) => a - b)).toEqual([...Array(20).keys()]);
  });
});
