import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_ATTEMPTS, MAX_CONSUMPTION_BYTES, type RequestConsumed, requestConsumed } from './request-consumed.js';

const MEGABYTE = 1024 * 1024;
/** Texts of any length and kind of character: of one, three or four bytes, of six when escaped, and invalid ones. */
const piece = fc.oneof(
  fc.constantFrom('a', '错', '😀', '\u0000', '\u001b', '"', '\\', '\n', '\ud800', '\udc00', '\u2028'),
  fc.string({ unit: 'binary' }),
);
const hostile = fc
  .tuple(piece, fc.constantFrom(1, 63, 64, 65, 1000, MEGABYTE))
  .map(([text, times]) => text.repeat(Math.ceil(times / Math.max(1, text.length))));
const counts = fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER);
const maxInt4 = 2_147_483_647;

const attempt = fc.record({
  channelId: fc.constant(maxInt4),
  channelType: fc.constant(maxInt4),
  class: fc.constant('rate-limited' as const),
  status: fc.constant(maxInt4),
  errorCode: hostile,
  errorType: hostile,
  message: hostile,
  durationMs: fc.constant(maxInt4),
});
const anyRecord: fc.Arbitrary<RequestConsumed> = fc.record({
  userId: fc.constant(maxInt4),
  tokenId: fc.constant(maxInt4),
  channelId: fc.constant(maxInt4),
  model: hostile,
  upstreamModel: hostile,
  group: hostile,
  endpoint: fc.constant('moderations' as const),
  usage: fc.record({
    semantics: fc.constant('anthropic' as const),
    inputTokens: counts,
    cacheReadTokens: counts,
    cacheWriteTokens: counts,
    cacheWriteHourTokens: counts,
    outputTokens: counts,
    reasoningTokens: counts,
    imageInputTokens: counts,
    audioInputTokens: counts,
    audioOutputTokens: counts,
  }),
  usageSource: fc.constant('estimated' as const),
  usageDoubt: fc.constant('implausible' as const),
  priceVersion: hostile,
  quota: counts,
  outcome: fc.constant('quota_exhausted' as const),
  abortPolicy: fc.constant('reported' as const),
  attempts: fc.array(attempt, { maxLength: 4 }),
  error: fc.record({ status: fc.constant(503), code: hostile, type: hostile, message: hostile }),
  replicaEpoch: hostile,
  isStream: fc.boolean(),
  startedAt: fc.constant('2026-11-21T03:00:00.000Z'),
  durationMs: fc.constant(maxInt4),
  firstTokenMs: fc.constant(maxInt4),
  reasoningEffort: hostile,
});

/** Size as stored in spool and log, with every attribute an envelope may have. */
const sizeOf = (data: RequestConsumed): number =>
  new TextEncoder().encode(
    JSON.stringify({
      specversion: '1.0',
      id: '019aa5b2-7c31-7f00-8abc-0123456789ab',
      type: requestConsumed.name,
      source: 'relay',
      subject: requestConsumed.key(data),
      time: '2026-11-21T03:00:00.000Z',
      datacontenttype: 'application/json',
      dataversion: requestConsumed.version,
      traceparent: `00-${'f'.repeat(32)}-${'f'.repeat(16)}-01`,
      data,
    }),
  ).length;
const bounded = (data: RequestConsumed): RequestConsumed => requestConsumed.bound?.(data) ?? data;

describe('the record of a request', () => {
  it('cannot exceed its stated size, whatever clients and upstreams say, and keeps to its contract', () => {
    fc.assert(
      fc.property(anyRecord, fc.integer({ min: 1, max: 40 }), (record, times) => {
        const attempts = Array.from({ length: times }, () => record.attempts).flat();
        const data = bounded({ ...record, attempts });
        expect(sizeOf(data)).toBeLessThanOrEqual(MAX_CONSUMPTION_BYTES);
        expect(requestConsumed.data.parse(data)).toEqual(data);
      }),
      { numRuns: 60 },
    );
  });

  it('stays below that size when every text has its greatest length in bytes', () => {
    const wide = '错'.repeat(2000);
    const [sample] = fc.sample(anyRecord, { numRuns: 1, seed: 1 });
    const trial = { channelId: maxInt4, channelType: maxInt4, class: 'rate-limited', status: maxInt4 } as const;
    const texts = { errorCode: wide, errorType: wide, message: wide, durationMs: maxInt4 };
    const data = bounded({
      ...(sample as RequestConsumed),
      model: wide,
      upstreamModel: wide,
      group: wide,
      priceVersion: wide,
      replicaEpoch: wide,
      reasoningEffort: wide,
      error: { status: 503, code: wide, type: wide, message: wide },
      attempts: Array.from({ length: 20 }, () => ({ ...trial, ...texts })),
    });
    expect(sizeOf(data)).toBeGreaterThan(0.8 * MAX_CONSUMPTION_BYTES); // The stated size must not be much too large either.
    expect(sizeOf(data)).toBeLessThanOrEqual(MAX_CONSUMPTION_BYTES);
  });

  it('keeps the first and the last of very many attempts', () => {
    const [sample] = fc.sample(anyRecord, { numRuns: 1, seed: 1 });
    const trial = { channelType: 1, class: 'timeout', status: 0, durationMs: 1 } as const;
    const attempts = Array.from({ length: 50 }, (_, index) => ({ ...trial, channelId: index + 1 }));
    const kept = bounded({ ...(sample as RequestConsumed), attempts }).attempts.map(({ channelId }) => channelId);
    expect(kept).toHaveLength(MAX_ATTEMPTS);
    expect([kept[0], kept.at(-1)]).toEqual([1, 50]);
  });

  it('of version 1 is lifted: without prices, its texts cut', () => {
    const old = {
      userId: 7,
      tokenId: 3,
      channelId: 2,
      model: 'gpt-4o',
      group: 'default',
      endpoint: 'messages',
      usage: { semantics: 'openai', inputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 12 },
      usageSource: 'upstream',
      priceVersion: 'v1',
      price: { modelRatio: 1.25, completionRatio: 4, groupRatio: 1 },
      rating: [{ item: 'input', units: 9, ratio: 1 }],
      quota: 72,
      outcome: 'failed',
      attempts: [
        { channelId: 2, channelType: 1, class: 'ok', status: 200, durationMs: 40, message: 'x'.repeat(MEGABYTE) },
      ],
      error: { status: 400, code: 'c', message: 'y'.repeat(MEGABYTE) },
      replicaEpoch: 'one',
      isStream: false,
      startedAt: '2026-11-21T03:00:00.000Z',
      durationMs: 41,
    };
    const lifted = requestConsumed.data.parse(requestConsumed.upcast?.(old, 1));
    expect(lifted).toMatchObject({ userId: 7, quota: 72, priceVersion: 'v1' });
    expect(Object.keys(lifted)).not.toEqual(expect.arrayContaining(['price']));
    expect(sizeOf(lifted)).toBeLessThan(MAX_CONSUMPTION_BYTES);
  });

  it.each([
    ['an id no table can hold', { userId: maxInt4 + 1 }],
    ['a fraction of a token', { usage: { semantics: 'openai', inputTokens: 0.5 } }],
    ['a quota beyond the safe integers', { quota: 2 ** 63 }],
    ['no number', { durationMs: null }],
  ])('is refused with %s', (_, change) => {
    const [sample] = fc.sample(anyRecord, { numRuns: 1, seed: 1 });
    const data = bounded(sample as RequestConsumed);
    expect(requestConsumed.data.safeParse(data).success).toBe(true);
    expect(requestConsumed.data.safeParse({ ...data, ...change }).success).toBe(false);
  });
});
