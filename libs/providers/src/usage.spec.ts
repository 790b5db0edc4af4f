import { describe, expect, it } from '@jest/globals';
import { optionalTokenCounts } from '@tollgate/contracts';
import { anthropicUsage, laterUsage, openAiUsage, toAnthropicUsage, toOpenAiUsage, usageSum } from './usage.js';

const openAi = { semantics: 'openai', inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

describe('openAiUsage', () => {
  it('takes cached tokens out of the prompt, wherever the upstream states them', () => {
    const expected = { ...openAi, inputTokens: 800, cacheReadTokens: 200, outputTokens: 500 };
    const counts = { prompt_tokens: 1000, completion_tokens: 500 };

    expect(openAiUsage({ ...counts, prompt_tokens_details: { cached_tokens: 200 } })).toEqual(expected);
    expect(openAiUsage({ ...counts, prompt_cache_hit_tokens: 200, prompt_cache_miss_tokens: 800 })).toEqual(expected);
    expect(openAiUsage({ ...counts, cached_tokens: 200 })).toEqual(expected);
  });

  it('tells an explicit zero from nothing', () => {
    expect(openAiUsage({ prompt_tokens: 0, completion_tokens: 0 })).toEqual(openAi);
    for (const nothing of [undefined, null, {}, 'many', { prompt_tokens: null }]) {
      expect(openAiUsage(nothing)).toBeUndefined();
    }
  });

  it.each([undefined, null])(
    'is no statement where what was said has no count (%p), unless the total tells it',
    (missing) => {
      const block = { prompt_tokens: 10, completion_tokens: missing };

      expect(openAiUsage(block)).toBeUndefined();
      expect(openAiUsage({ ...block, total_tokens: 3 })).toBeUndefined();
      expect(openAiUsage({ completion_tokens: missing, total_tokens: 10 })).toBeUndefined();
      expect(openAiUsage({ ...block, total_tokens: 14 })?.outputTokens).toBe(4);
      expect(openAiUsage({ ...block, completion_tokens: 0 })?.outputTokens).toBe(0);
      expect(openAiUsage(block, { hasNoOutput: true })).toEqual({ ...openAi, inputTokens: 10 });
    },
  );

  it.each([[[5]], [{ value: 5 }]])('believes no output of %p', (bad) => {
    expect(openAiUsage({ prompt_tokens: 10, completion_tokens: bad })?.outputTokens).toBe(Infinity);
  });

  it('keeps details that are not zero', () => {
    const usage = openAiUsage({
      prompt_tokens: 10,
      completion_tokens: 9,
      prompt_tokens_details: { audio_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 5, audio_tokens: 0 },
    });

    expect(usage).toEqual({ ...openAi, inputTokens: 6, outputTokens: 9, audioInputTokens: 4, reasoningTokens: 5 });
  });

  it('counts reasoning that xAI leaves out of its completion count', () => {
    const block = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 40 };

    expect(openAiUsage(block, { outputIsTotalMinusPrompt: true })?.outputTokens).toBe(30);
    expect(openAiUsage(block)?.outputTokens).toBe(5);
  });

  it('leaves fractions out', () => {
    expect(openAiUsage({ prompt_tokens: 5.9, completion_tokens: 1 })).toMatchObject({
      inputTokens: 5,
      outputTokens: 1,
    });
  });

  it.each([-1, 18_446_744_073_709_551_615, 1e400, '12', true])(
    'makes no count of %p that anybody could book',
    (bad) => {
      const blocks = [
        { prompt_tokens: bad, completion_tokens: 1 },
        { prompt_tokens: 5, completion_tokens: bad },
        { prompt_tokens: bad, completion_tokens: bad, total_tokens: bad },
      ];
      for (const block of blocks) {
        const counts = Object.values(openAiUsage(block) ?? {}).filter((value) => value !== 'openai');
        expect(counts.every(Number.isSafeInteger)).toBe(false);
      }
      expect(anthropicUsage({ input_tokens: 5, output_tokens: bad })?.outputTokens).toBe(Infinity);
    },
  );

  it('treats more cached tokens than the prompt has as implausible', () => {
    const usage = openAiUsage({ prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 50 } });
    expect(usage?.inputTokens).toBe(Infinity);
  });
});

describe('anthropicUsage', () => {
  it('lets the closing block override the output and keeps the opening prompt', () => {
    const opening = anthropicUsage({
      input_tokens: 10,
      cache_read_input_tokens: 1000,
      cache_creation_input_tokens: 500,
      output_tokens: 1,
    });

    expect(anthropicUsage({ output_tokens: 20 }, opening)).toEqual({
      semantics: 'anthropic',
      inputTokens: 10,
      cacheReadTokens: 1000,
      cacheWriteTokens: 500,
      outputTokens: 20,
    });
    expect(anthropicUsage({ input_tokens: 0, output_tokens: 20 }, opening)?.inputTokens).toBe(10);
    expect(anthropicUsage({}, undefined)).toBeUndefined();
  });

  it('tells what is cached for an hour from what is cached for five minutes', () => {
    const cache_creation = { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 300 };
    const block = { input_tokens: 10, cache_creation_input_tokens: 500, cache_creation, output_tokens: 1 };
    const opening = anthropicUsage(block);

    expect(opening).toMatchObject({ cacheWriteTokens: 500, cacheWriteHourTokens: 300 });
    expect(anthropicUsage({ output_tokens: 20 }, opening)).toMatchObject({ cacheWriteHourTokens: 300 });
    expect(anthropicUsage({ input_tokens: 1, cache_creation })).toMatchObject({ cacheWriteTokens: 500 });
    expect(opening && toAnthropicUsage(opening)).toMatchObject({ cache_creation_input_tokens: 500, cache_creation });
    const none = { ephemeral_5m_input_tokens: 500, ephemeral_1h_input_tokens: 0 };
    expect(anthropicUsage({ ...block, cache_creation: none })).not.toHaveProperty('cacheWriteHourTokens');
  });

  it.each([501, -1, 'many'])('believes no %p tokens for an hour of 500 that were cached', (hour) => {
    const cache_creation = { ephemeral_1h_input_tokens: hour };
    const usage = anthropicUsage({ input_tokens: 1, cache_creation_input_tokens: 500, cache_creation });
    expect(usage?.cacheWriteHourTokens).toBe(Infinity);
  });

  it('is shown with the pictures and the sound that the upstream tells apart', () => {
    const usage = {
      ...{ ...openAi, semantics: 'openai' as const, inputTokens: 20, cacheReadTokens: 5, outputTokens: 3 },
      ...{ imageInputTokens: 258, audioInputTokens: 32, audioOutputTokens: 7 },
    };
    expect(toAnthropicUsage(usage)).toMatchObject({ input_tokens: 310, cache_read_input_tokens: 5, output_tokens: 10 });
  });

  it('is shown to an OpenAI client with the cache in the prompt, and back without', () => {
    const usage = anthropicUsage({ input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 2 });
    if (!usage) throw new Error('usage expected');

    expect(toOpenAiUsage(usage)).toMatchObject({
      prompt_tokens: 110,
      total_tokens: 112,
      prompt_tokens_details: { cached_tokens: 100 },
    });
    expect(toAnthropicUsage(usage)).toMatchObject({ input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 2 });
  });
});

describe('the usage of a stream after another chunk', () => {
  const stated = openAiUsage({ prompt_tokens: 12, completion_tokens: 3 });
  const zero = openAiUsage({ prompt_tokens: 0, completion_tokens: 0 });

  it('is the later one', () => {
    const later = openAiUsage({ prompt_tokens: 12, completion_tokens: 4 });
    expect(laterUsage(later, stated)).toBe(later);
    expect(laterUsage(stated, zero)).toBe(stated);
  });

  it('is not taken back by zeros or by a chunk without one', () => {
    expect(laterUsage(zero, stated)).toBe(stated);
    expect(laterUsage(undefined, stated)).toBe(stated);
  });

  it('is zero when nothing else was stated', () => {
    expect(laterUsage(zero, undefined)).toBe(zero);
  });
});

describe('the sum of two usages', () => {
  it('adds every count, and lacks those that neither has', () => {
    const counts = { inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 3, outputTokens: 4 };
    const all = { semantics: 'openai' as const, ...counts };
    const details = Object.fromEntries(optionalTokenCounts.map((name, index) => [name, index + 5]));
    const doubled = (one: object) =>
      Object.fromEntries(Object.entries(one).map(([name, count]) => [name, 2 * Number(count)]));
    const [sums, detailSums] = [doubled(counts), doubled(details)];
    expect(usageSum({ ...all, ...details }, { ...all, ...details })).toEqual({ ...all, ...sums, ...detailSums });
    expect(usageSum({ ...all, ...details }, all)).toEqual({ ...all, ...sums, ...details });
    expect(usageSum(all, all)).toEqual({ ...all, ...sums });
  });
});
