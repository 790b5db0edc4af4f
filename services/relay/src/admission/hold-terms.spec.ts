import { describe, expect, it } from '@jest/globals';
import type { AppliedPrice } from '@tollgate/contracts';
import type { RequestBound } from '../usage/bound.js';
import { holdTerms, outputLimitFor } from './hold-terms.js';

const price: AppliedPrice = {
  modelRatio: 1,
  completionRatio: 4,
  groupRatio: 1,
  cacheRatio: 1,
  cacheCreationRatio: 1,
  modelPrice: -1,
  quotaPerUnit: 500_000,
};
const bound = (fields: Partial<RequestBound> = {}): RequestBound => ({
  prompt: { textTokens: 100, imageTokens: 0, audioTokens: 0 },
  ...{ choices: 1, limit: 0, maximum: 1000, minimum: 1, predicted: 0 },
  ...fields,
});
const sizes = (fields: Partial<RequestBound>, assumed = 500): [least: number, most: number] => {
  const { least, most } = holdTerms(bound(fields), price, assumed);
  return [least, most];
};

describe('holdTerms', () => {
  it('holds the limit of the client, for every answer', () => {
    expect(sizes({ limit: 10 })).toEqual([140, 140]);
    expect(sizes({ limit: 10, choices: 5 })).toEqual([300, 300]);
  });

  it("ranges from PreConsumedQuota tokens to the model's maximum if there is no limit", () => {
    expect(sizes({})).toEqual([2100, 4100]);
    expect(sizes({ maximum: 300 })).toEqual([1300, 1300]);
    expect(sizes({ choices: 3 })).toEqual([2100, 12_100]);
  });

  it('needs only PreConsumedQuota tokens at the price of the prompt for a request that is alone', () => {
    const alone = (fields: Partial<RequestBound>, assumed = 500) => holdTerms(bound(fields), price, assumed).leastAlone;
    expect(alone({})).toBe(600);
    expect(alone({ predicted: 25 })).toBe(700);
    expect(alone({ maximum: 100 })).toBe(500); // the whole bound
    expect(alone({ choices: 200 })).toBe(900); // one token for each answer
    expect(alone({}, 0)).toBe(104);
    expect(alone({ limit: 10 })).toBeUndefined();
  });

  it('gives every answer at least the smallest limit that an upstream accepts', () => {
    expect(sizes({ choices: 600 }, 0)).toEqual([2500, 2_400_100]);
    expect(sizes({ minimum: 700 })).toEqual([2900, 4100]);
  });

  it('pays for a prediction beside the answers', () => {
    expect(sizes({ limit: 10, predicted: 25 })).toEqual([240, 240]);
  });

  it("includes the upstream's own input, which is held once it was observed", () => {
    const overhead = (fields: Partial<RequestBound>) => holdTerms(bound(fields), price, 500).mostOverhead?.();
    expect([overhead({}), overhead({ ownContext: 1_000_000 })]).toEqual([4096, 1_004_096]);
    const worst = holdTerms(bound({ searchTokens: 2000, remote: { tokens: 300, isHeard: true } }), price, 500);
    expect([worst.mostOverhead?.(), worst.worstOverhead?.()]).toEqual([4096, 6396]);
    expect(sizes({ ownContext: 1_000_000 })).toEqual(sizes({}));
  });

  it('is the price itself when the model is priced per call', () => {
    const { least, most } = holdTerms(bound({ choices: 9 }), { ...price, modelPrice: 0.04 }, 500);
    expect([least, most]).toEqual([20_000, 20_000]);
  });
});

describe('outputLimitFor', () => {
  const limit = (fields: Partial<RequestBound>, amount: number, known?: { cost: number; outputTokens: number }) => {
    const asked = bound(fields);
    const { most } = holdTerms(asked, price, 500);
    return outputLimitFor(asked, price, { hold: { amount, ...(known && { known }) }, most });
  };

  it('is undefined where everything is paid for', () => {
    expect(limit({}, 4100)).toBeUndefined();
    expect(limit({ limit: 10 }, 140)).toBeUndefined();
  });

  it('is what the hold pays for beside the prompt, in equal parts', () => {
    expect(limit({}, 2100)).toBe(500);
    expect(limit({ choices: 3 }, 2100)).toBe(166);
    expect(limit({ predicted: 100 }, 2100)).toBe(400);
  });

  it('goes by the known cost of such a call where its bound does not fit', () => {
    // The call is known to cost 90 units with 20 tokens; 40 units more pay for nine more tokens.
    expect(limit({}, 131, { cost: 90, outputTokens: 20 })).toBe(30);
    expect(limit({}, 90, { cost: 90, outputTokens: 20 })).toBe(20);
    expect(limit({ limit: 15 }, 131, { cost: 90, outputTokens: 20 })).toBeUndefined();
  });
});
