import { describe, expect, it } from '@jest/globals';
import { BatchLoader } from './batch-loader.js';

describe('BatchLoader', () => {
  /** A loader whose replies are held back, and contain the state at the time of the request. */
  function made() {
    let truth = 'before';
    const answers: (() => void)[] = [];
    const loader = new BatchLoader<number, string>((keys) => {
      const found = new Map(keys.map((key) => [key, truth]));
      return new Promise((resolve) => answers.push(() => resolve(found)));
    });
    const asked = async (times: number): Promise<void> => {
      for (let turn = 0; turn < 10 && answers.length < times; turn += 1)
        await new Promise((resolve) => setImmediate(resolve));
    };
    return { loader, answers, asked, change: () => void (truth = 'after') };
  }

  it('loads a key once for several callers', async () => {
    const { loader, answers, asked } = made();
    const both = [loader.get(1), loader.get(1)];
    await asked(1);
    const third = loader.get(1);
    answers[0]?.();
    expect([await Promise.all([...both, third]), answers.length]).toEqual([['before', 'before', 'before'], 1]);
  });

  it('never returns a load from before a change to a later caller', async () => {
    const { loader, answers, asked, change } = made();
    const early = loader.get(1);
    await asked(1);
    change();
    loader.discardRunning();
    const late = loader.get(1);
    await asked(2);
    expect(answers).toHaveLength(2);
    answers[0]?.();
    expect(await early).toBe('before');
    // The end of the first load must not remove the second one.
    const last = loader.get(1);
    answers[1]?.();
    expect([await late, await last, answers.length]).toEqual(['after', 'after', 2]);
  });
});
