import { describe, expect, it } from '@jest/globals';
import { StreamBudget, type StreamTerms } from './stream-budget.js';

/** A stream with one token per four bytes at a price of one unit, and a hold that can grow up to the wallet's quota. */
function scene(fields: { amount: number; wallet: number; tolerance?: number; roughness?: number; isLocal?: boolean }) {
  const { tolerance = 0, roughness = 1, isLocal = true } = fields;
  let bytes = 0;
  let looks = 0;
  let counts = 0;
  const hold = {
    amount: fields.amount,
    grow(to: number): boolean | Promise<boolean> {
      const fits = to <= fields.wallet;
      if (fits) hold.amount = Math.max(hold.amount, to);
      return isLocal && fits ? true : Promise.resolve(fits);
    },
  };
  const terms: StreamTerms = {
    hold,
    tokenPrice: 1,
    tolerance,
    rough: () => {
      looks += 1;
      return (bytes / 4) * roughness;
    },
    exact: () => {
      counts += 1;
      return Promise.resolve(bytes / 4);
    },
  };
  const budget = new StreamBudget(terms);
  return {
    hold,
    work: () => ({ looks, counts }),
    /** Returns the bytes delivered before the stream was ended. */
    async run(total: number, chunk = 200): Promise<number> {
      while (bytes < total) {
        bytes += chunk;
        if (!(await budget.spend(chunk))) return bytes;
      }
      return bytes;
    },
    spend: (count: number) => {
      bytes += count;
      return budget.spend(count);
    },
  };
}

describe('StreamBudget', () => {
  it('rarely checks a stream that its hold pays for', async () => {
    const { run, work } = scene({ amount: 20_000, wallet: 20_000 });
    expect(await run(64_000)).toBe(64_000);
    expect(work().looks).toBeLessThan(8);
    expect(work().counts).toBe(0);
  });

  it('grows the hold from the local block without a pause', () => {
    const { spend, hold } = scene({ amount: 100, wallet: 1_000_000 });
    for (let turn = 0; turn < 200; turn += 1) expect(spend(200)).toBe(true);
    expect(hold.amount).toBeGreaterThanOrEqual(10_000);
  });

  it('grows the hold by asking billing', async () => {
    const { run, hold } = scene({ amount: 100, wallet: 1_000_000, isLocal: false });
    expect(await run(40_000)).toBe(40_000);
    expect(hold.amount).toBeGreaterThanOrEqual(10_000);
  });

  it('ends the stream when nothing is left, a few events too late at most', async () => {
    const { run } = scene({ amount: 100, wallet: 5000 });
    const bytes = await run(1_000_000);
    expect(bytes / 4).toBeGreaterThan(5000);
    expect(bytes / 4).toBeLessThan(5000 + 600);
  });

  it('counts with the tokenizer before it ends a stream', async () => {
    const { run, work } = scene({ amount: 5000, wallet: 5000, roughness: 2 });
    expect(await run(19_000)).toBe(19_000);
    expect(work().counts).toBeLessThan(10);
  });

  it('does not end a stream whose upstream got a limit for a difference between tokenizers', async () => {
    expect(await scene({ amount: 1000, wallet: 1000, tolerance: 1000 }).run(7000)).toBe(7000);
    expect(await scene({ amount: 1000, wallet: 1000, tolerance: 1000 }).run(100_000)).toBeLessThan(4 * 2600);
  });

  it('treats an unavailable billing like an empty wallet', async () => {
    const { hold, spend } = scene({ amount: 100, wallet: 100 });
    hold.grow = () => Promise.reject(new Error('away'));
    expect(await spend(100_000)).toBe(false);
  });
});
