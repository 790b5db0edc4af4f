import { describe, expect, it } from '@jest/globals';
import { defaultOptions, type PriceDocument } from '@tollgate/contracts';
import { builtInCompletion } from './completion-rules.js';
import { rate } from './price.js';
import { completionRatioOf, isPriced, priceFor } from './ratio-book.js';

const table = (text: string): Record<string, number> => JSON.parse(text) as Record<string, number>;
const defaults: PriceDocument = {
  id: 'defaults',
  modelRatio: table(defaultOptions.ModelRatio),
  completionRatio: table(defaultOptions.CompletionRatio),
  modelPrice: table(defaultOptions.ModelPrice),
  cacheRatio: table(defaultOptions.CacheRatio),
  imageRatio: table(defaultOptions.ImageRatio),
  groupRatio: { default: 1, vip: 0.8 },
  quotaPerUnit: 500_000,
};
const strict = { acceptUnset: false };

describe('priceFor', () => {
  it('collects every ratio of a model priced by tokens', () => {
    expect(priceFor('gpt-4o-mini', 'vip', defaults, strict)).toEqual({
      modelPrice: -1,
      modelRatio: 0.075,
      completionRatio: 4,
      cacheRatio: 0.5,
      cacheCreationRatio: 1.25,
      groupRatio: 0.8,
      quotaPerUnit: 500_000,
      webSearch: { low: 25, medium: 27.5, high: 30 },
      googleSearch: 14,
      fileSearch: 2.5,
    });
  });

  it('charges more for the pictures and searches of some models', () => {
    const of = (model: string) => priceFor(model, 'default', defaults, { acceptUnset: true });
    expect([of('dall-e-3')?.hdPictures, of('gpt-image-1')?.hdPictures]).toEqual([true, undefined]);
    const large = ['gpt-4o', 'gpt-4.1-2025-04-14', 'gpt-4o-2024-08-06'].map((model) => of(model)?.webSearch?.low);
    const others = ['gpt-4o-mini', 'gpt-4.1-mini', 'gpt-4', 'o3'].map((model) => of(model)?.webSearch?.low);
    expect([...large, ...others]).toEqual([30, 30, 30, 25, 25, 25, 25]);
  });

  it("asks Claude's price for its searches, whatever stands before its name", () => {
    const of = (model: string) => priceFor(model, 'default', defaults, { acceptUnset: true })?.webSearch;
    for (const model of ['claude-3-7-sonnet-20250219', 'anthropic/claude-opus-4'])
      expect(of(model)).toEqual({ low: 10, medium: 10, high: 10 });
  });

  it("asks Google's price for what Google searches, and for other searches of Gemini what they always cost", () => {
    for (const model of ['gemini-2.0-flash', 'google/gemini-2.5-pro', 'mine']) {
      const price = priceFor(model, 'default', defaults, { acceptUnset: true });
      expect([price?.googleSearch, price?.webSearch]).toEqual([14, { low: 25, medium: 27.5, high: 30 }]);
    }
  });

  it('puts the ratio that a group of users has in another group in the place of its own', () => {
    const document = { ...defaults, groupGroupRatio: { vip: { default: 0.5, free: 0 } } };
    const of = (group: string, userGroup?: string) => {
      const price = priceFor('gpt-4o', group, document, { ...strict, userGroup });
      return [price?.groupRatio, price?.userGroupRatio];
    };
    expect(of('default', 'vip')).toEqual([0.5, 0.5]);
    expect(of('free', 'vip')).toEqual([0, 0]);
    expect(of('vip', 'vip')).toEqual([0.8, undefined]);
    expect(of('default', 'default')).toEqual([1, undefined]);
    for (const name of [undefined, 'constructor', 'toString']) expect(of('default', name)).toEqual([1, undefined]);
    expect(of('constructor', 'vip')).toEqual([1, undefined]);
  });

  it('lets a fixed price win over a ratio', () => {
    const document = { ...defaults, modelPrice: { 'gpt-4o': 0, 'dall-e-3': 0.04 } };
    expect(priceFor('gpt-4o', 'default', document, strict)).toMatchObject({
      modelPrice: 0,
      modelRatio: 0,
      completionRatio: 0,
    });
    expect(priceFor('dall-e-3', 'default', document, strict)).toMatchObject({ modelPrice: 0.04 });
  });

  it('refuses a model nobody priced unless the caller accepts the unset ratio', () => {
    expect(priceFor('home-grown', 'default', defaults, strict)).toBeUndefined();
    expect(priceFor('home-grown', 'default', defaults, { acceptUnset: true })).toMatchObject({
      modelRatio: 37.5,
      completionRatio: 1,
    });
  });

  it('charges an unknown group the plain price', () => {
    expect(priceFor('gpt-4o', 'ghosts', defaults, strict)?.groupRatio).toBe(1);
  });

  it('ignores inherited properties', () => {
    expect(priceFor('constructor', 'toString', defaults, strict)).toBeUndefined();
    expect(priceFor('gpt-4o', 'toString', defaults, strict)?.groupRatio).toBe(1);
    expect(isPriced('__proto__', defaults)).toBe(false);
  });

  it('prices all custom GPTs of a family alike', () => {
    expect(priceFor('gpt-4-gizmo-g-abc', 'default', defaults, strict)).toMatchObject({ modelPrice: 0.1 });
    expect(priceFor('gpt-4o-gizmo-g-abc', 'default', defaults, strict)).toMatchObject({
      modelRatio: 2.5,
      completionRatio: 3,
    });
    expect(isPriced('gpt-4o-gizmo-g-abc', defaults)).toBe(true);
  });

  it.each(['mj_blend', 'mj_video', 'suno_music', 'swap_face'])(
    'charges a tenth of a dollar for %s where nobody set a price, whatever ratios say',
    (model) => {
      const document = { ...defaults, modelPrice: {}, modelRatio: { [model]: 5 } };
      expect(priceFor(model, 'default', document, strict)).toMatchObject({ modelPrice: 0.1, modelRatio: 0 });
      expect(priceFor(model, 'default', { ...document, modelPrice: { [model]: 0 } }, strict)?.modelPrice).toBe(0);
      expect(isPriced(model, { ...document, modelRatio: {} })).toBe(true);
    },
  );

  it('gives ratio zero to a free model', () => {
    const price = priceFor('glm-4-flash', 'default', defaults, strict);
    expect(price?.modelRatio).toBe(0);
  });

  it('prices images and audio of the models that have them', () => {
    expect(priceFor('gpt-image-1', 'default', defaults, strict)).toMatchObject({ imageRatio: 2, completionRatio: 8 });
    const audioOf = (model: string): number | undefined =>
      priceFor(model, 'default', defaults, { acceptUnset: true })?.audioRatio;
    expect(audioOf('gpt-4o-realtime-preview')).toBe(8);
    expect(audioOf('gpt-4o-realtime-preview-2024-12-17')).toBe(20);
    expect(audioOf('gpt-4o-mini-realtime-preview-2024-12-17')).toBe(16.666667);
    expect(audioOf('gpt-4o-audio-preview-2024-12-17')).toBe(16);
    expect(audioOf('gpt-4o-mini-audio-preview')).toBe(66.666667);
    expect(audioOf('acme-audio')).toBe(40);
    expect(audioOf('gpt-4o')).toBeUndefined();
  });

  it('prices the sound of a realtime session under any name of its model, since the price version that began it', () => {
    const realtime = { acceptUnset: true, isRealtime: true };
    const document = { ...defaults, realtimeAudioRatio: 20 };
    const audioOf = (model: string) => priceFor(model, 'default', document, realtime);
    expect(audioOf('gpt-4o')).toMatchObject({ audioRatio: 20, audioCompletionRatio: 2 });
    expect(audioOf('gpt-4o-realtime-preview')?.audioRatio).toBe(8);
    expect(audioOf('acme-audio')?.audioRatio).toBe(40);
    expect(audioOf('dall-e-3')?.audioRatio).toBeUndefined();
    expect(priceFor('gpt-4o', 'default', document, strict)?.audioRatio).toBeUndefined();
    expect(priceFor('gpt-4o', 'default', defaults, realtime)?.audioRatio).toBeUndefined();
  });

  it('rates the reference request from the default tables', () => {
    const price = priceFor('gpt-4o-audio-preview', 'default', defaults, strict);
    const usage = {
      semantics: 'openai',
      inputTokens: 100,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 50,
    } as const;
    expect(price && rate({ ...usage, audioInputTokens: 200, audioOutputTokens: 30 }, price)).toBe(5575);
  });
});

describe('completionRatioOf', () => {
  it('keeps a locked rule against the option, and gives way where the rule is open', () => {
    const document = { completionRatio: { 'gpt-4o': 9, 'gpt-4': 9, 'gemini-2.5-flash-preview-04-17': 9, mine: 9 } };
    expect(completionRatioOf('gpt-4o', document)).toBe(4);
    expect(completionRatioOf('gpt-4', document)).toBe(9);
    expect(completionRatioOf('gemini-2.5-flash-preview-04-17', document)).toBe(9);
    expect(completionRatioOf('mine', document)).toBe(9);
  });

  it('lets the option win for a name with a slash, and the rule where the option is silent', () => {
    expect(completionRatioOf('mirror/claude-3-opus', { completionRatio: { 'mirror/claude-3-opus': 2 } })).toBe(2);
    expect(completionRatioOf('mirror/claude-3-opus', { completionRatio: {} })).toBe(5);
  });

  it.each([
    ['gpt-4o-2024-05-13', 3, true],
    ['gpt-4o-mini', 4, true],
    ['gpt-4o-all', 1, false],
    ['gpt-4.5-preview-2025-02-27', 2, true],
    ['gpt-4-turbo-2024-04-09', 3, true],
    ['gpt-4-1106-preview', 2, false],
    ['gpt-4-1106', 3, true],
    ['gpt-4-32k', 2, false],
    ['o1-mini', 4, true],
    ['o3-mini-high', 4, true],
    ['chatgpt-4o-latest', 3, true],
    ['claude-instant-1', 3, true],
    ['claude-2.1', 3, true],
    ['claude-3-7-sonnet-20250219', 5, true],
    ['gpt-3.5-turbo', 3, true],
    ['gpt-3.5-turbo-0125', 3, true],
    ['gpt-3.5-turbo-1106', 2, true],
    ['gpt-3.5-turbo-16k', 4 / 3, true],
    ['mistral-large', 3, true],
    ['gemini-1.5-pro-latest', 4, true],
    ['gemini-2.0-flash', 4, true],
    ['gemini-2.5-pro-preview-03-25', 8, true],
    ['gemini-2.5-pro-exp-03-25', 4, false],
    ['gemini-2.5-flash-preview-04-17-nothinking', 4, false],
    ['gemini-2.5-flash-preview-04-17', 5.833333, false],
    ['command-r', 3, true],
    ['command-r-plus', 5, true],
    ['command-r-08-2024', 4, true],
    ['command-light', 4, false],
    ['DeepSeek-Chat', 4, true],
    ['ERNIE-Speed-128K', 2, true],
    ['ERNIE-4.0-8K', 1, false],
    ['llama2-70b-4096', 1.25, true],
    ['llama3-8b-8192', 2, true],
    ['llama3-70b-8192', 1.338983, true],
    ['qwen-plus', 1, false],
  ])('prices answers of %s at %d', (model, ratio, locked) => {
    expect(builtInCompletion(model)).toMatchObject({ ratio, locked });
  });
});
