import { describe, expect, it } from '@jest/globals';
import { type Logger, Metrics } from '@tollgate/chassis';
import type { PriceDocument, RequestConsumed, Usage } from '@tollgate/contracts';
import type { Consumption } from './booking-sums.js';
import type { PriceService } from '../pricing/price.service.js';
import { RatingCheck, ratingFault } from './rating-check.js';

const document: PriceDocument = {
  id: 'v1',
  modelRatio: {
    'gpt-4o': 1.25,
    'claude-3-7-sonnet': 1.5,
    'gpt-image-1': 2.5,
    'tts-1': 7.5,
    'whisper-1': 15,
    'gpt-4o-realtime-preview': 2.5,
  },
  completionRatio: { 'gpt-image-1': 8 },
  modelPrice: { 'dall-e-3': 0.04 },
  cacheRatio: {},
  imageRatio: { 'gpt-image-1': 2 },
  groupRatio: { default: 1 },
  quotaPerUnit: 500_000,
};
const event = (
  model: string,
  usage: Partial<Usage>,
  quota: number,
  outcome: RequestConsumed['outcome'] = 'completed',
) =>
  ({
    id: 'e',
    data: {
      model,
      group: 'default',
      outcome,
      quota,
      usage: {
        semantics: 'openai',
        inputTokens: 0,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: 0,
        ...usage,
      },
    },
  }) as unknown as Consumption;

describe('the rating check', () => {
  it.each<[string, string, Partial<Usage>, number]>([
    ['pictures', 'dall-e-3', { inputTokens: 2, pictures: { count: 2, size: '1024x1792', quality: 'hd' } }, 120_000],
    [
      'pictures without tokens',
      'gpt-image-1',
      { inputTokens: 1, pictures: { count: 1, size: 'auto', quality: 'low' } },
      3125,
    ],
    [
      'pictures by tokens',
      'gpt-image-1',
      {
        inputTokens: 4,
        imageInputTokens: 10,
        outputTokens: 100,
        pictures: { count: 1, size: 'auto', quality: 'low', byTokens: true },
      },
      2060,
    ],
    ['speech', 'tts-1', { inputTokens: 100 }, 750],
    ['sound that was written down', 'whisper-1', { inputTokens: 1033 }, 15_495],
    [
      'searches',
      'gpt-4o',
      { inputTokens: 100, searches: { web: 1, webContext: 'high', file: 2 } },
      125 + 25_000 + 2500,
    ],
    ["Claude's searches", 'claude-3-7-sonnet', { inputTokens: 100, searches: { web: 3 } }, 150 + 15_000],
    ['a session', 'gpt-4o-realtime-preview', { inputTokens: 10, audioInputTokens: 10, audioOutputTokens: 10 }, 625],
  ])('works %s out again, and sees a unit that is wrong', (_, model, usage, quota) => {
    expect(ratingFault(event(model, usage, quota), document)).toBeUndefined();
    expect(ratingFault(event(model, usage, quota + 1), document)).toBe('quota');
  });

  it('rates the sound of a session under another name by the price version that it names', () => {
    const spoken = event('gpt-4o', { inputTokens: 10, audioInputTokens: 10, audioOutputTokens: 10 }, 763);
    const session = { ...spoken, data: { ...spoken.data, endpoint: 'realtime' as const } };
    const since = { ...document, realtimeAudioRatio: 20 };
    // (10 + 10 · 20 + 10 · 20 · 2) · 1.25
    expect(ratingFault(session, since)).toBeUndefined();
    expect([ratingFault(spoken, since), ratingFault(session, document)]).toEqual(['quota', 'quota']);
  });

  it('applies the ratio of a group of users in another group', () => {
    const special = { ...document, groupGroupRatio: { partners: { default: 0.5 } } };
    const charged = event('gpt-4o', { inputTokens: 100 }, 63);
    const ofPartner = { ...charged, data: { ...charged.data, userGroup: 'partners' } };
    expect(ratingFault(ofPartner, special)).toBeUndefined();
    expect([ratingFault(charged, special), ratingFault(ofPartner, document)]).toEqual(['quota', 'quota']);
  });

  it('expects no charge for a run that makes up for another, whatever it used', () => {
    const free = event('gpt-4o', { inputTokens: 100 }, 0);
    const madeUp = { ...free, data: { ...free.data, repeats: 'an id' } };
    expect([ratingFault(free, document), ratingFault(madeUp, document)]).toEqual(['quota', undefined]);
    const charged = { ...madeUp, data: { ...madeUp.data, quota: 125 } };
    expect(ratingFault(charged, document)).toBe('quota');
  });

  it('accepts no charge for a failed request, and no unknown version', () => {
    expect(ratingFault(event('dall-e-3', {}, 0, 'failed'), document)).toBeUndefined();
    expect(ratingFault(event('dall-e-3', {}, 1, 'failed'), document)).toBe('quota');
    expect(ratingFault(event('dall-e-3', { inputTokens: 1 }, 1), undefined)).toBe('unknown-version');
  });

  it('reports a usage that costs more than the safe integers as a wrong charge', () => {
    const usage = { inputTokens: Number.MAX_SAFE_INTEGER };
    expect(ratingFault(event('gpt-4o', usage, 125), document)).toBe('quota');
  });

  it('initializes its counters with 0, so that the first fault of each kind is an increase', async () => {
    const metrics = new Metrics('billing');
    new RatingCheck({} as PriceService, {} as Logger, metrics);
    const counter = metrics.registry.getSingleMetric('tollgate_billing_rating_faults_total');
    const counted = (await counter?.get())?.values.map(({ labels, value }) => [labels['fault'], value]);
    expect(counted).toEqual([
      ['unknown-version', 0],
      ['quota', 0],
    ]);
  });

  it('logs what was charged, and the charge by its version', async () => {
    const told: unknown[] = [];
    const logger = { error: (_text: string, facts: object) => told.push(facts) } as unknown as Logger;
    const prices = { find: (id: string) => Promise.resolve(id === 'v1' ? document : undefined) } as PriceService;
    const check = new RatingCheck(prices, logger, new Metrics('billing'));
    const charged = event('gpt-4o', { inputTokens: 100 }, 124);
    const under = (priceVersion: string) => ({ ...charged, data: { ...charged.data, priceVersion } });
    await check.check([under('v1'), under('lost')]);
    expect(told).toEqual([
      expect.objectContaining({ fault: 'quota', eventId: 'e', quota: 124, rated: 125 }),
      expect.objectContaining({ fault: 'unknown-version', eventId: 'e', quota: 124, rated: undefined }),
    ]);
  });
});
