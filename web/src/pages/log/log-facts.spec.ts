import { describe, expect, it } from '@jest/globals';
import type { Log, LogOther } from '@tollgate/contracts/api/log';
import type { AppliedPrice, Usage } from '@tollgate/contracts/events/request-consumed';
import { completionTokensOf, promptTokensOf } from '@tollgate/contracts/events/request-consumed';
import { priceFor, rate } from '@tollgate/pricing';
import { billOf, doubtOf, firstTokenColor, firstTokenOf, money, otherOf, durationColor } from './log-facts.js';

const log = { type: 2, model_name: 'gpt-4o', prompt_tokens: 1000, completion_tokens: 200, other: '' } as Log;
const ratios: LogOther = {
  model_ratio: 1.25,
  completion_ratio: 4,
  group_ratio: 0.5,
  cache_ratio: 0.5,
  model_price: -1,
};

const mediaOf = (usage: Usage, price: AppliedPrice): LogOther => {
  const { audioInputTokens: heard = 0, audioOutputTokens: said = 0, imageInputTokens: seen = 0 } = usage;
  return {
    ...(heard + said > 0 && {
      ...{ audio: true, audio_input: heard, audio_output: said, text_input: usage.inputTokens },
      ...{ audio_ratio: price.audioRatio, audio_completion_ratio: price.audioCompletionRatio },
    }),
    ...(seen > 0 && { image: true, image_ratio: price.imageRatio, image_output: seen }),
    ...(usage.pictures && { pictures: usage.pictures }),
  };
};

const searchesOf = ({ searches = {} }: Usage, price: AppliedPrice): LogOther => {
  const { web = 0, webContext, file = 0, google = 0 } = searches;
  const ofWeb = { web_search_call_count: web, web_search_price: price.webSearch?.[webContext ?? 'medium'] };
  const ofGoogle = { google_search: true, web_search_call_count: google, web_search_price: price.googleSearch };
  return {
    ...(web > 0 && { web_search: true, web_search_context_size: webContext, ...ofWeb }),
    ...(google > 0 && { web_search: true, ...ofGoogle }),
    ...(file > 0 && { file_search: true, file_search_call_count: file, file_search_price: price.fileSearch }),
  };
};

/** A log row as the usage log stores a request. */
function rowOf(model: string, usage: Usage, price: AppliedPrice): Log {
  const other: LogOther = {
    ...{ model_ratio: price.modelRatio, completion_ratio: price.completionRatio, model_price: price.modelPrice },
    ...{ group_ratio: price.groupRatio, cache_ratio: price.cacheRatio, cache_tokens: usage.cacheReadTokens },
    ...(usage.semantics === 'anthropic' && { claude: true }),
    ...{ cache_creation_tokens: usage.cacheWriteTokens, cache_creation_ratio: price.cacheCreationRatio },
    ...(usage.cacheWriteHourTokens && { cache_creation_tokens_1h: usage.cacheWriteHourTokens }),
    ...mediaOf(usage, price),
    ...searchesOf(usage, price),
  };
  const tokens = { prompt_tokens: promptTokensOf(usage), completion_tokens: completionTokensOf(usage) };
  return { ...log, ...tokens, model_name: model, other: JSON.stringify(other) };
}

describe('doubtOf', () => {
  it.each<[LogOther, ReturnType<typeof doubtOf>]>([
    [{ usage_source: 'upstream' }, undefined],
    [{ usage_source: 'upstream', usage_doubt: 'implausible' }, 'cut'],
    [{ usage_source: 'estimated', usage_doubt: 'implausible' }, 'implausible'],
    // A realtime session sums up several answers; those in doubt are not in the sum.
    [{ usage_source: 'upstream', usage_doubt: 'implausible', ws: true }, 'implausible'],
    [{ usage_source: 'estimated', usage_doubt: 'unrateable' }, 'unrateable'],
  ])('tells reduced counts from replaced ones: %j', (other, doubt) => {
    expect(doubtOf(other)).toBe(doubt);
  });
});

describe('billOf', () => {
  it('shows the documented formula', () => {
    const bill = billOf(log, ratios, 500_000);
    // (1000 + 200 × 4) × 1.25 × 0.5 = 1125 units; / 500000 = $0.00225
    expect(bill).toMatchObject({ units: 1125, total: 0.00225 });
    expect(bill?.lines.map(({ kind, count, price }) => [kind, count, price])).toEqual([
      ['input', 1000, 2.5],
      ['output', 200, 10],
    ]);
  });

  it('subtracts cached tokens from an OpenAI prompt, but not from an Anthropic one', () => {
    const cached = { ...ratios, cache_tokens: 400 };
    // (600 + 400 × 0.5 + 800) × 1.25 × 0.5 = 1000
    expect(billOf(log, cached, 500_000)).toMatchObject({ units: 1000 });
    // (1000 + 200 + 800) × 0.625 = 1250
    expect(billOf(log, { ...cached, claude: true }, 500_000)).toMatchObject({ units: 1250 });
  });

  it('prices tokens cached for an hour at twice the input price', () => {
    const written = { cache_creation_tokens: 500, cache_creation_ratio: 1.25, cache_creation_tokens_1h: 300 };
    // (1000 + 200 × 1.25 + 300 × 2 + 200 × 4) × 0.625 = 1656.25
    const bill = billOf(log, { ...ratios, claude: true, ...written }, 500_000);
    expect(bill).toMatchObject({ units: 1656 });
    expect(bill?.lines.map(({ kind, count, price }) => [kind, count, price])).toEqual([
      ['input', 1000, 2.5],
      ['cacheWrite', 200, 3.125],
      ['cacheWriteHour', 300, 5],
      ['output', 200, 10],
    ]);
  });

  it('prices a call by its fixed price', () => {
    expect(billOf(log, { ...ratios, model_price: 0.04 }, 500_000)).toMatchObject({
      lines: [{ kind: 'call', count: 1, price: 0.04 }],
      ...{ group: 0.5, total: 0.02, units: 10_000 },
    });
  });

  it('prices a task, which has no tokens, as one call, and a free one as nothing', () => {
    const task = { ...log, prompt_tokens: 0, completion_tokens: 0, quota: 10_000 };
    const other: LogOther = { ...ratios, model_price: 0.04, usage_source: 'requested' };
    expect(billOf(task, other, 500_000)).toMatchObject({ total: 0.02, units: 10_000 });
    expect(billOf({ ...task, quota: 0 }, other, 500_000)).toMatchObject({ total: 0, units: 0 });
  });

  it('prices audio and pictures by their own ratios, and plain text beside them', () => {
    const audio = { audio: true, audio_input: 300, audio_output: 50, text_input: 700, text_output: 150 };
    // (700 + 150 × 4 + 300 × 2 + 50 × 2 × 3) × 1.25 × 0.5 = 1375
    const spoken = billOf(log, { ...ratios, ...audio, audio_ratio: 2, audio_completion_ratio: 3 }, 500_000);
    expect(spoken).toMatchObject({ units: 1375 });
    expect(spoken?.lines.map(({ kind }) => kind)).toEqual(['input', 'audio', 'output', 'audioOutput']);
    // (900 + 100 × 1.6 + 800) × 0.625 = 1162.5, rounded away from zero
    const seen = billOf(log, { ...ratios, image: true, image_ratio: 1.6, image_output: 100 }, 500_000);
    expect(seen).toMatchObject({ units: 1163 });
  });

  describe('of a row as the server writes it', () => {
    const tables = {
      id: '',
      ...{ modelPrice: { 'dall-e-3': 0.04 }, modelRatio: { 'gpt-4o': 1.25, 'gpt-image-1': 2.5, 'dall-e-2': 8 } },
      ...{ completionRatio: {}, cacheRatio: { 'gpt-4o': 0.5 }, imageRatio: { 'gpt-image-1': 2 } },
      ...{ groupRatio: { vip: 0.5 }, quotaPerUnit: 500_000 },
    };
    const none = { semantics: 'openai' as const, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
    const one: Usage = { ...none, inputTokens: 1 };
    const read: Usage = { ...none, inputTokens: 1000, outputTokens: 200 };
    const pictures = { count: 3, size: '1024x1024', quality: 'standard' };
    it.each<[what: string, model: string, usage: Usage, lines: [kinds: string[], price: number]]>([
      ['pictures by number', 'dall-e-3', { ...one, pictures }, [['pictures'], 0.04]],
      ['pictures in HD', 'dall-e-3', { ...one, pictures: { ...pictures, quality: 'hd' } }, [['pictures'], 0.08]],
      ['tall pictures', 'dall-e-3', { ...one, pictures: { ...pictures, size: '1024x1792' } }, [['pictures'], 0.08]],
      ['pictures by a ratio', 'dall-e-2', { ...one, pictures }, [['pictures'], 0.02]],
      [
        'pictures by tokens',
        'gpt-image-1',
        { ...read, imageInputTokens: 100, pictures: { ...pictures, byTokens: true } },
        [['input', 'image', 'output'], 5],
      ],
      [
        'searches',
        'gpt-4o',
        { ...read, searches: { web: 2, webContext: 'low' } },
        [['input', 'output', 'searches'], 2.5],
      ],
      ['searches in files', 'gpt-4o', { ...read, searches: { file: 4 } }, [['input', 'output', 'searches'], 2.5]],
      ['queries of Google', 'gpt-4o', { ...read, searches: { google: 1 } }, [['input', 'output', 'searches'], 2.5]],
      [
        'sound',
        'gpt-4o-audio-preview',
        { ...read, audioInputTokens: 300, audioOutputTokens: 50 },
        [['input', 'audio', 'output', 'audioOutput'], 75],
      ],
      ['cached tokens', 'gpt-4o', { ...read, cacheReadTokens: 400 }, [['input', 'cacheRead', 'output'], 2.5]],
      [
        'tokens that are kept for an hour',
        'gpt-4o',
        { ...read, semantics: 'anthropic', cacheWriteTokens: 500, cacheWriteHourTokens: 300 },
        [['input', 'cacheWrite', 'cacheWriteHour', 'output'], 2.5],
      ],
      ['nothing but a cache', 'gpt-4o', { ...none, inputTokens: 0, cacheReadTokens: 400 }, [['cacheRead'], 1.25]],
    ])('agrees with the charge for %s', (_, model, usage, [kinds, price]) => {
      const applied = priceFor(model, 'vip', tables, { acceptUnset: true })!;
      const row = rowOf(model, usage, applied);
      const bill = billOf(row, otherOf(row), 500_000);
      expect(bill?.units).toBe(rate(usage, applied));
      expect(bill?.lines.map(({ kind }) => kind)).toEqual(kinds);
      expect(bill?.lines[0]?.price).toBeCloseTo(price, 6);
    });
  });

  it('charges at least one unit for any use that has a price', () => {
    const tiny = { ...log, prompt_tokens: 1, completion_tokens: 0 };
    expect(billOf(tiny, { ...ratios, model_ratio: 0.001 }, 500_000)).toMatchObject({ units: 1 });
  });

  it('has no bill for rows that are no consumption', () => {
    expect(billOf({ ...log, type: 5 }, ratios, 500_000)).toBeUndefined();
    expect(billOf(log, {}, 500_000)).toBeUndefined();
  });
});

describe('log facts', () => {
  it('reads the values that are present', () => {
    expect(otherOf({ ...log, other: 'null' })).toEqual({});
    expect(otherOf({ ...log, other: '{' })).toEqual({});
    expect(firstTokenOf({ frt: -1000 })).toBeUndefined();
    expect(firstTokenOf({ frt: 1234 })).toBe(1.234);
  });

  it('colours times by the documented steps', () => {
    expect([100, 101, 300].map(durationColor)).toEqual(['green', 'orange', 'red']);
    expect([2.9, 3, 10].map(firstTokenColor)).toEqual(['green', 'orange', 'red']);
  });

  it('prints no floating tail', () => {
    expect(money(0.1 + 0.2)).toBe('$0.3');
  });
});
