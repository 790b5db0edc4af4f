import { describe, expect, it } from '@jest/globals';
import type { AppliedPrice, TokenCount, Usage } from '@tollgate/contracts';
import fc from 'fast-check';
import { price, usage } from '../test/factories.js';
import { pictureUnits } from './call-prices.js';
import { toNumber } from './exact.js';
import { holdFor, outputTokensFor, rate, testUnits, type UsageBound } from './price.js';

const perCall = (modelPrice: number, groupRatio = 1): AppliedPrice =>
  price({ modelPrice, groupRatio, modelRatio: 0, completionRatio: 0, cacheRatio: 0, cacheCreationRatio: 0 });

describe('what a channel test is shown with', () => {
  it.each([
    {
      says: 'completion tokens rounded by themselves',
      tokens: [9, 3],
      numbers: { completionRatio: 1.5, modelRatio: 2 },
      units: 28,
    },
    { says: 'without the group', tokens: [9, 3], numbers: { groupRatio: 7, modelRatio: 1.5 }, units: 18 },
    { says: 'at least a unit', tokens: [1, 0], numbers: { modelRatio: 0.01 }, units: 1 },
    { says: 'at least a unit of tokens that are none', tokens: [0, 0], numbers: {}, units: 1 },
    { says: 'nothing where the ratio is nothing', tokens: [9, 3], numbers: { modelRatio: 0 }, units: 0 },
    { says: 'the price of a call', tokens: undefined, numbers: { modelPrice: 0.01, groupRatio: 7 }, units: 5000 },
    { says: 'nothing where nobody told the tokens', tokens: undefined, numbers: {}, units: 0 },
    {
      says: 'no more than a whole number',
      tokens: [9, 3],
      numbers: { modelRatio: 1e300 },
      units: Number.MAX_SAFE_INTEGER,
    },
  ])('$says', ({ tokens: [prompt = 0, completion = 0] = [undefined], tokens, numbers, units }) => {
    expect(testUnits(tokens && { prompt, completion }, price(numbers))).toBe(units);
  });

  it('is nothing where the model has no price', () => {
    expect(testUnits({ prompt: 9, completion: 3 }, undefined)).toBe(0);
  });
});

describe('rate', () => {
  it('charges cached prompt tokens at the cache ratio and rounds halves up', () => {
    const tokens = usage({ inputTokens: 800, cacheReadTokens: 200, outputTokens: 500 });
    // ((800 + 200 · 0.5) + 500 · 4) · 0.075 = 217.5
    expect(rate(tokens, price({ modelRatio: 0.075, completionRatio: 4, cacheRatio: 0.5 }))).toBe(218);
  });

  it('charges cache writes beside input that never contained them', () => {
    const tokens = usage({
      semantics: 'anthropic',
      inputTokens: 10,
      cacheReadTokens: 1000,
      cacheWriteTokens: 500,
      outputTokens: 20,
    });
    // (10 + 100 + 625 + 100) · 1.5 = 1252.5
    expect(rate(tokens, price({ modelRatio: 1.5, completionRatio: 5, cacheRatio: 0.1 }))).toBe(1253);
  });

  it('charges what is cached for an hour at twice the input, beside what is cached for five minutes', () => {
    const tokens = usage({ semantics: 'anthropic', cacheWriteTokens: 500, cacheWriteHourTokens: 300 });
    // (200 · 1.25 + 300 · 2) · 1.5
    expect(rate(tokens, price({ modelRatio: 1.5 }))).toBe(1275);
  });

  it('charges a picture by size and quality', () => {
    const pictures = { size: '1024x1792', quality: 'hd', count: 1 };
    // 0.04 · 2 · 1.5 = 0.12 USD
    expect(rate(usage({ inputTokens: 1, pictures }), { ...perCall(0.04), hdPictures: true })).toBe(60_000);
    // No tokens, and no price per call: 2.5 · 0.0025 · 3 USD
    const three = { size: '1024x1024', quality: 'high', count: 3 };
    expect(rate(usage({ inputTokens: 3, pictures: three }), price({ modelRatio: 2.5 }))).toBe(9375);
    // The token counts are stated: (10 + 20 · 2 + 1000 · 8) · 2.5
    const told = usage({
      inputTokens: 10,
      imageInputTokens: 20,
      outputTokens: 1000,
      pictures: { ...three, byTokens: true },
    });
    expect(rate(told, price({ modelRatio: 2.5, completionRatio: 8, imageRatio: 2 }))).toBe(20_125);
    expect(rate(told, perCall(0.01))).toBe(15_000);
  });

  it('charges searches by the call, beside tokens and beside a price per call, rounded once with them', () => {
    const searching = (numbers: Partial<AppliedPrice>): AppliedPrice =>
      price({ webSearch: { low: 30, medium: 35, high: 50 }, fileSearch: 2.5, ...numbers });
    // 30 · 2 / 1000 USD beside 100 · 1.25
    const searched = usage({ inputTokens: 100, searches: { web: 2, webContext: 'low' } });
    expect(rate(searched, searching({ modelRatio: 1.25 }))).toBe(125 + 30_000);
    expect(rate(searched, { ...perCall(0.01), webSearch: { low: 30, medium: 35, high: 50 } })).toBe(35_000);
    expect(rate(usage({ inputTokens: 1, searches: { web: 1, file: 4 } }), searching({}))).toBe(1 + 17_500 + 5000);
    const google = usage({ inputTokens: 1, searches: { google: 2 } });
    expect([rate(google, searching({ googleSearch: 14 })), rate(google, searching({}))]).toEqual([1 + 14_000, 1]);
    // 0.25 and 0.25 add up to half a unit, which is rounded up.
    const tiny = searching({ modelRatio: 0.25, fileSearch: 0.0005 });
    expect(rate(usage({ inputTokens: 1, searches: { file: 1 } }), tiny)).toBe(1);
    expect(holdFor(bound({ textTokens: 1, searches: { file: 1 } }), tiny)).toBeGreaterThanOrEqual(1);
  });

  it('charges nothing at ratio zero', () => {
    expect(rate(usage({ inputTokens: 100, outputTokens: 100 }), price({ modelRatio: 0 }))).toBe(0);
    expect(rate(usage({ inputTokens: 100, outputTokens: 100 }), price({ groupRatio: 0 }))).toBe(0);
    expect(rate(usage({ inputTokens: 1 }), perCall(0))).toBe(0);
  });

  it('charges audio in and out by their own ratios', () => {
    const tokens = usage({ inputTokens: 100, outputTokens: 50, audioInputTokens: 200, audioOutputTokens: 30 });
    const audio = price({ modelRatio: 1.25, completionRatio: 4, audioRatio: 16, audioCompletionRatio: 2 });
    // (100 + 200 + 3200 + 960) · 1.25
    expect(rate(tokens, audio)).toBe(5575);
  });

  it('charges audio like text for a model without an audio ratio', () => {
    const tokens = usage({ audioInputTokens: 10, audioOutputTokens: 10 });
    expect(rate(tokens, price({ modelRatio: 2, completionRatio: 3 }))).toBe(80); // (10 + 30) · 2
  });

  it('keeps the cache discount beside image tokens', () => {
    const tokens = usage({ inputTokens: 100, cacheReadTokens: 100, imageInputTokens: 50 });
    expect(rate(tokens, price({ cacheRatio: 0.5, imageRatio: 2 }))).toBe(250); // 100 + 50 + 100
  });

  it('charges transcriptions by their token count', () => {
    expect(rate(usage({ inputTokens: 1033 }), price({ modelRatio: 15 }))).toBe(15_495);
  });

  it('charges a drawing its fixed price', () => {
    expect(rate(usage({ inputTokens: 1 }), perCall(0.1))).toBe(50_000);
    expect(rate(usage({ inputTokens: 1, outputTokens: 900 }), perCall(0.1, 1.5))).toBe(75_000);
  });

  it('charges at least one unit when anything was used at a price above zero', () => {
    expect(rate(usage({ inputTokens: 1 }), price({ modelRatio: 0.01 }))).toBe(1);
    expect(rate(usage({ inputTokens: 1 }), perCall(1e-9))).toBe(1);
    expect(rate(usage({ cacheReadTokens: 1000 }), price({ cacheRatio: 0 }))).toBe(1);
  });

  it('charges nothing for explicit zero usage, whatever the price', () => {
    expect(rate(usage(), price({ modelRatio: 37.5 }))).toBe(0);
    expect(rate(usage(), perCall(5))).toBe(0);
  });

  it('is exact where floating point is not', () => {
    // As floats 1000 · 1.0005 is 1000.4999999999999, which would round down.
    expect(rate(usage({ inputTokens: 1000 }), price({ modelRatio: 1.0005 }))).toBe(1001);
    expect(rate(usage({ inputTokens: 3 }), price({ completionRatio: 1e-7, modelRatio: 0.5 }))).toBe(2); // 1.5
  });

  it('refuses an amount that is no safe integer', () => {
    expect(() => rate(usage({ inputTokens: 1e9 }), price({ modelRatio: 1e6, groupRatio: 1e6 }))).toThrow(RangeError);
  });
});

describe('pictureUnits', () => {
  const dollars = (numbers: AppliedPrice, size: string, quality = '', count = 1): number =>
    toNumber(pictureUnits({ ...numbers, quotaPerUnit: 1 }, { size, quality, count }));

  it('knows the sizes and counts every picture', () => {
    const known = { ...perCall(1), hdPictures: true };
    const sizes = ['256x256', '512x512', '1024x1024', '1792x1024', '640x480'];
    expect(sizes.map((size) => dollars(known, size))).toEqual([0.4, 0.45, 1, 2, 1]);
    expect(dollars(known, '1024x1024', 'hd')).toBe(2);
    expect(dollars(known, '1792x1024', 'hd')).toBe(3);
    expect(dollars(known, '1024x1024', 'standard')).toBe(1);
    expect(dollars(perCall(0.04), '1024x1024', 'hd', 3)).toBe(0.12);
  });

  it('prices a model that has only a ratio', () => {
    expect(dollars(price({ modelRatio: 8 }), '1024x1024', '', 2)).toBe(0.04); // 8 · 0.0025 · 2
  });

  it('ignores inherited properties', () => {
    expect(dollars(perCall(1), 'constructor')).toBe(1);
  });
});

const bound = (fields: Partial<UsageBound>): UsageBound => ({
  textTokens: 0,
  imageTokens: 0,
  audioTokens: 0,
  outputTokens: 0,
  ...fields,
});

describe('holdFor', () => {
  it('covers the limit at the completion ratio', () => {
    const gpt4 = price({ modelRatio: 15, completionRatio: 2, cacheCreationRatio: 1 });
    // The usual estimate is (100 + 1000) · 15 = 16 500, which a full answer would exceed.
    expect(holdFor(bound({ textTokens: 100, outputTokens: 1000 }), gpt4)).toBe(31_500);
    expect(rate(usage({ inputTokens: 100, outputTokens: 1000 }), gpt4)).toBe(31_500);
  });

  it('takes a prompt at the price of a cache write', () => {
    // 500 · 4 · 1.25 · 2, and 8 tokens at 1.25 · 2.5
    const gpt4o = price({ modelRatio: 1.25, completionRatio: 4, groupRatio: 2 });
    expect(holdFor(bound({ textTokens: 8, outputTokens: 500 }), gpt4o)).toBe(5025);
  });

  it('takes a prompt at the price of an hour in the cache where the request asks for that', () => {
    const claude = price({ modelRatio: 1.5 });
    const asked = bound({ textTokens: 100, imageTokens: 10, hourCache: true });
    expect(holdFor(asked, claude)).toBe(330); // 110 · 2 · 1.5
    expect(rate(usage({ cacheWriteTokens: 110, cacheWriteHourTokens: 110 }), claude)).toBe(330);
  });

  it('covers an answer in sound', () => {
    const audio = price({ completionRatio: 4, audioRatio: 16, audioCompletionRatio: 2, cacheCreationRatio: 1 });
    expect(holdFor(bound({ outputTokens: 10 }), audio)).toBe(320);
  });

  it('takes pictures and sound of a prompt at their own prices where those are dearer', () => {
    const media = price({ imageRatio: 3, audioRatio: 16, cacheCreationRatio: 1 });
    expect(holdFor(bound({ textTokens: 1, imageTokens: 10, audioTokens: 100 }), media)).toBe(1 + 30 + 1600);
    expect(holdFor(bound({ imageTokens: 10 }), price({ imageRatio: 0.1, cacheCreationRatio: 1 }))).toBe(10);
  });

  it('is the price itself when the model is priced per call', () => {
    expect(holdFor(bound({ textTokens: 1_000_000, outputTokens: 9 }), perCall(0.04))).toBe(20_000);
  });

  it('is a hold no wallet covers when the bound leaves the safe integers', () => {
    const dear = price({ modelRatio: 1e6, groupRatio: 1e6 });
    expect(holdFor(bound({ outputTokens: 2 ** 30 }), dear)).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('outputTokensFor', () => {
  it('is infinite if a longer answer costs nothing more', () => {
    expect(outputTokensFor(20_000, bound({}), perCall(0.04))).toBe(Infinity);
    expect(outputTokensFor(0, bound({ textTokens: 9 }), price({ groupRatio: 0 }))).toBe(Infinity);
  });

  it('is negative if the prompt alone costs more', () => {
    expect(outputTokensFor(19_999, bound({}), perCall(0.04))).toBe(-1);
    expect(outputTokensFor(99, bound({ textTokens: 100 }), price({ cacheCreationRatio: 1 }))).toBe(-1);
  });
});

const tokens = fc.integer({ min: 0, max: 2_000_000 });
const ratio = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 9_999_999 }).map((number) => number / 1e5),
  fc.constantFrom(4 / 3, 5.833333, 8.21918, 1e-7),
);
const anyPrice = fc
  .record({
    modelRatio: ratio,
    completionRatio: ratio,
    groupRatio: ratio,
    cacheRatio: ratio,
    cacheCreationRatio: ratio,
  })
  .chain((ratios) => fc.constantFrom(price(ratios), price({ ...ratios, modelPrice: ratios.modelRatio })));
const textUsage = fc.record({
  inputTokens: tokens,
  cacheReadTokens: tokens,
  cacheWriteTokens: tokens,
  outputTokens: tokens,
});

/** The part of the bound that limits each count; none if the tokens are part of another count. */
const limitOf: Record<TokenCount, 'textTokens' | 'imageTokens' | 'audioTokens' | 'outputTokens' | undefined> = {
  inputTokens: 'textTokens',
  cacheReadTokens: 'textTokens',
  cacheWriteTokens: 'textTokens',
  cacheWriteHourTokens: undefined,
  imageInputTokens: 'imageTokens',
  audioInputTokens: 'audioTokens',
  outputTokens: 'outputTokens',
  audioOutputTokens: 'outputTokens',
  reasoningTokens: undefined,
};
const anyUsage = fc.record(
  Object.fromEntries(Object.keys(limitOf).map((kind) => [kind, tokens])) as Record<TokenCount, typeof tokens>,
);
const mediaRatios = fc.record(
  { imageRatio: ratio, audioRatio: ratio, audioCompletionRatio: ratio },
  { requiredKeys: [] },
);
const anyMediaPrice = fc.tuple(anyPrice, mediaRatios).map(([plain, ratios]) => ({ ...plain, ...ratios }));

describe('properties of prices', () => {
  it('costs a whole number of units, never less than none', () => {
    fc.assert(
      fc.property(textUsage, anyPrice, (used, applied) => {
        const quota = rate(usage(used), applied);
        expect(Number.isSafeInteger(quota) && quota >= 0).toBe(true);
      }),
    );
  });

  it('never gets cheaper by using more', () => {
    const kind = fc.constantFrom(
      'inputTokens',
      'cacheReadTokens',
      'cacheWriteTokens',
      'outputTokens',
      'audioInputTokens',
    );
    fc.assert(
      fc.property(textUsage, anyPrice, kind, tokens, (used, applied, more, count) => {
        const dearer = usage({
          ...used,
          [more]: ((usage(used)[more as keyof Usage] as number | undefined) ?? 0) + count,
        });
        expect(rate(dearer, applied)).toBeGreaterThanOrEqual(rate(usage(used), applied));
      }),
    );
  });

  it('is within one unit of the sum of its parts', () => {
    fc.assert(
      fc.property(textUsage, anyPrice, (used, applied) => {
        const prompt = usage({ ...used, outputTokens: 0 });
        const answer = usage({ outputTokens: used.outputTokens });
        const whole = rate(usage(used), applied);
        const parts = rate(prompt, applied) + rate(answer, applied);
        if (applied.modelPrice < 0) expect(Math.abs(whole - parts)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('never costs more than was held, whatever kinds of tokens the bound turns out to be', () => {
    fc.assert(
      fc.property(anyUsage, anyMediaPrice, fc.boolean(), (used, applied, hourCache) => {
        const within = bound({ hourCache });
        for (const [kind, limit] of Object.entries(limitOf)) if (limit) within[limit] += used[kind as TokenCount];
        const charged = rate(usage({ ...used, ...(!hourCache && { cacheWriteHourTokens: 0 }) }), applied);
        expect(charged).toBeLessThanOrEqual(holdFor(within, applied));
      }),
      { numRuns: 500 },
    );
  });

  it('never costs more than was held, if the prompt fits its bytes and the answer its limit', () => {
    fc.assert(
      fc.property(textUsage, anyPrice, tokens, fc.option(tokens), (used, applied, spare, forAnHour) => {
        const textTokens = used.inputTokens + used.cacheReadTokens + used.cacheWriteTokens + spare;
        const hourCache = forAnHour !== null;
        const hold = holdFor(bound({ textTokens, outputTokens: used.outputTokens + spare, hourCache }), applied);
        const charged = rate(usage({ ...used, ...(hourCache && { cacheWriteHourTokens: forAnHour }) }), applied);
        expect(charged).toBeLessThanOrEqual(hold);
      }),
      { numRuns: 500 },
    );
  });

  it('lets an answer be as long as the units pay for, and not one token longer', () => {
    fc.assert(
      fc.property(tokens, fc.integer({ min: 0, max: 1e12 }), anyPrice, (textTokens, units, applied) => {
        const most = outputTokensFor(units, bound({ textTokens }), applied);
        const costs = (outputTokens: number): number => holdFor(bound({ textTokens, outputTokens }), applied);
        if (most === -1) expect(costs(0)).toBeGreaterThan(units);
        else if (most !== Infinity) expect([costs(most) <= units, costs(most + 1) > units]).toEqual([true, true]);
      }),
      { numRuns: 500 },
    );
  });
});
