import { describe, expect, it } from '@jest/globals';
import { defaultOptions, type PriceDocument, type Usage } from '@tollgate/contracts';
import { usage } from '../test/factories.js';
import { holdFor, rate } from './price.js';
import { priceFor } from './ratio-book.js';

const table = (text: string): Record<string, number> => JSON.parse(text) as Record<string, number>;
/** The prices of a new installation. */
const defaults: PriceDocument = {
  id: 'defaults',
  modelRatio: table(defaultOptions.ModelRatio),
  completionRatio: table(defaultOptions.CompletionRatio),
  modelPrice: table(defaultOptions.ModelPrice),
  cacheRatio: table(defaultOptions.CacheRatio),
  imageRatio: table(defaultOptions.ImageRatio),
  groupRatio: { default: 1, double: 2 },
  quotaPerUnit: 500_000,
};
const priceOf = (model: string, group = 'default') => {
  const price = priceFor(model, group, defaults, { acceptUnset: false });
  if (!price) throw new Error(`${model} has no price`);
  return price;
};
describe('the documented examples, at the prices of a new installation', () => {
  it.each<[string, string, Partial<Usage>, number]>([
    ['a cached prompt', 'gpt-4o-mini', { inputTokens: 800, cacheReadTokens: 200, outputTokens: 500 }, 218],
    [
      'a cache that is written',
      'claude-3-7-sonnet-20250219',
      { semantics: 'anthropic', inputTokens: 10, cacheReadTokens: 1000, cacheWriteTokens: 500, outputTokens: 20 },
      1253,
    ],
    [
      'a tall picture in high quality',
      'dall-e-3',
      { inputTokens: 1, pictures: { count: 1, size: '1024x1792', quality: 'hd' } },
      60_000,
    ],
    ['a model that costs nothing', 'glm-4-flash', { inputTokens: 100, outputTokens: 100 }, 0],
    ['a prompt and its whole answer', 'gpt-4', { inputTokens: 100, outputTokens: 1000 }, (100 + 1000 * 2) * 15],
    [
      'sound in and out',
      'gpt-4o-audio-preview',
      { inputTokens: 100, outputTokens: 50, audioInputTokens: 200, audioOutputTokens: 30 },
      5575,
    ],
    ['two searches', 'gpt-4o', { inputTokens: 100, searches: { web: 2, webContext: 'low' } }, 125 + 30_000],
    [
      'a search of OpenAI for a model of Google',
      'gemini-2.0-flash',
      { inputTokens: 20, searches: { web: 1, webContext: 'low' } },
      12_501,
    ],
    ['two searches of Google', 'gemini-2.0-flash', { inputTokens: 20, searches: { google: 2 } }, 14_001],
    ['a minute and a second of sound', 'whisper-1', { inputTokens: 1033 }, 15_495],
    ['a drawing', 'mj_imagine', { inputTokens: 1 }, 50_000],
    ['a price in another currency', 'ERNIE-4.0-8K', { inputTokens: 1000 }, 8219],
    ['text that is read out', 'tts-1', { inputTokens: 1000 }, 7500],
    [
      'pictures by their tokens',
      'gpt-image-1',
      {
        inputTokens: 10,
        imageInputTokens: 100,
        outputTokens: 4160,
        pictures: { count: 1, size: '1024x1024', quality: 'high', byTokens: true },
      },
      (10 + 200 + 4160 * 8) * 2.5,
    ],
  ])('charge %s', (_, model, tokens, quota) => {
    expect(rate(usage(tokens), priceOf(model))).toBe(quota);
  });

  it('charge a session of speech by four prices', () => {
    const spoken = { inputTokens: 100, outputTokens: 50, audioInputTokens: 200, audioOutputTokens: 30 };
    // 2.5: (100 + 50 · 4 + 200 · 8 + 30 · 8 · 2) · 2.5
    expect(rate(usage(spoken), priceOf('gpt-4o-realtime-preview'))).toBe(5950);
    expect(rate(usage(spoken), priceOf('gpt-4o-realtime-preview', 'double'))).toBe(11_900);
  });

  it('hold pictures at the dearer of the two ways in which they may be charged', () => {
    const pictures = { count: 2, size: '1024x1024', quality: 'high' };
    const none = { textTokens: 0, imageTokens: 0, audioTokens: 0, outputTokens: 0 };
    expect(holdFor({ ...none, pictures }, priceOf('dall-e-3'))).toBe(40_000);
    const held = holdFor(
      { ...none, outputTokens: 13_200, pictures: { ...pictures, byTokens: true } },
      priceOf('gpt-image-1'),
    );
    expect(held).toBe(13_200 * 8 * 2.5);
    // 2 · 2.5 · 0.0025 USD, the price per picture: an upstream may state no tokens.
    expect(holdFor({ ...none, pictures }, priceOf('gpt-image-1'))).toBe(6250);
  });
});
