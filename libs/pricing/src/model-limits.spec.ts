import { describe, expect, it } from '@jest/globals';
import { modelLimits, UNKNOWN_MODEL } from './model-limits.js';

describe('modelLimits', () => {
  it.each([
    ['gpt-4o', 16_384],
    ['gpt-4o-2024-05-13', 4096],
    ['openai/gpt-4o-mini', 16_384],
    ['gpt-4', 8192],
    ['gpt-4-0613', 8192],
    ['gpt-4-turbo-preview', 4096],
    ['gpt-5-mini', 128_000],
    ['o3-mini-high', 100_000],
    ['claude-3-haiku-20240307', 4096],
    ['claude-3.5-sonnet', 8192],
    ['claude-opus-4-20250514', 32_000],
    ['claude-sonnet-4-5-20250929', 128_000],
    ['gemini-1.5-pro', 8192],
    ['gemini-2.5-flash', 65_536],
  ])('knows that an answer of %s ends at %i tokens', (model, tokens) => {
    expect(modelLimits(model).outputTokens).toBe(tokens);
  });

  it('is generous for an unknown name', () => {
    expect(modelLimits('our-own-model')).toBe(UNKNOWN_MODEL);
  });

  it('counts a picture for more where a small model multiplies its tokens', () => {
    expect(modelLimits('gpt-4o-mini').imageTokens).toBeGreaterThan(modelLimits('gpt-4o').imageTokens);
  });
});
