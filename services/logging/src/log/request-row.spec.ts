import { describe, expect, it } from '@jest/globals';
import type { AppliedPrice, PriceDocument, RequestConsumed } from '@tollgate/contracts';
import { type Consumption, otherOf as otherWithout, toRequestDraft } from './request-row.js';

const price = {
  modelRatio: 2,
  completionRatio: 3,
  groupRatio: 0.5,
  cacheRatio: 0.1,
  cacheCreationRatio: 1.25,
  modelPrice: -1,
  quotaPerUnit: 500_000,
};
const usage = {
  semantics: 'openai',
  inputTokens: 60,
  cacheReadTokens: 30,
  cacheWriteTokens: 0,
  outputTokens: 20,
} as const;

const request = (change: Partial<RequestConsumed> = {}): RequestConsumed => ({
  userId: 1,
  tokenId: 2,
  channelId: 3,
  model: 'm',
  group: 'default',
  endpoint: 'chat',
  usage,
  usageSource: 'upstream',
  priceVersion: 'v1',
  quota: 123,
  outcome: 'completed',
  attempts: [{ channelId: 3, channelType: 1, class: 'ok', status: 200, durationMs: 1 }],
  replicaEpoch: 'e',
  isStream: true,
  startedAt: '2026-01-01T00:00:00.900Z',
  durationMs: 1_200,
  firstTokenMs: 400,
  ...change,
});
const otherOf = (data: RequestConsumed, change: Partial<AppliedPrice> = {}) =>
  otherWithout('r', data, { ...price, ...change });
const prices: PriceDocument = {
  id: 'v1',
  modelRatio: { m: 2 },
  completionRatio: {},
  modelPrice: {},
  cacheRatio: {},
  imageRatio: {},
  groupRatio: {},
  quotaPerUnit: 500_000,
};
const eventOf = (change: Partial<RequestConsumed> = {}) =>
  ({ id: 'e1', time: '2026-01-01T05:00:00.000Z', data: request(change) }) as Consumption;
const draftOf = (change: Partial<RequestConsumed> = {}) => toRequestDraft(eventOf(change), prices);

describe('toRequestDraft', () => {
  it('shows searches of Google like other searches, marked as those of Google', () => {
    const other = otherOf(request({ usage: { ...usage, searches: { google: 2 } } }), { googleSearch: 14 });
    const shown = { web_search: true, google_search: true, web_search_call_count: 2, web_search_price: 14 };
    expect(other).toMatchObject(shown);
    expect(draftOf({ usage: { ...usage, searches: { google: 2 } } }).content).toMatch(
      /Web Search 调用 2 次，调用花费 \$0\.028000$/,
    );
    const others = otherOf(request({ usage: { ...usage, searches: { web: 2 } } }));
    expect(others).not.toHaveProperty('google_search');
  });

  it('shows a run that makes up for a charged one as free, with its usage', () => {
    const { request: row, content } = draftOf({ repeats: 'the first', quota: 0 });
    expect(row).toMatchObject({ quota: 0, completionTokens: 20, other: { repeats: 'the first', group_ratio: 0 } });
    expect(content).toContain('分组倍率 0.00');
  });

  it('takes its time from the end of the request, not from the event', () => {
    expect(draftOf().createdAt).toBe(Date.UTC(2026, 0, 1) / 1000 + 2); // 0.9 s + 1.2 s
  });

  it('counts prompt tokens in the way of the upstream', () => {
    expect(draftOf().request).toMatchObject({ promptTokens: 90, completionTokens: 20 });
    expect(draftOf({ usage: { ...usage, semantics: 'anthropic' } }).request).toMatchObject({ promptTokens: 60 });
    expect(draftOf({ usage: { ...usage, audioInputTokens: 7, audioOutputTokens: 5 } }).request).toMatchObject({
      promptTokens: 97,
      completionTokens: 25,
    });
  });

  it('has no quota for a failed request, and contains the error', () => {
    const draft = draftOf({ outcome: 'failed', error: { status: 503, code: 'c', type: 't', message: '无可用渠道' } });
    expect(draft).toMatchObject({ type: 5, content: '无可用渠道', request: { quota: 0 } });
    expect(draft.request.other).toMatchObject({ status_code: 503, error_code: 'c', error_type: 't' });
  });

  it('cuts a very long message', () => {
    const message = '错'.repeat(10_000);
    expect(draftOf({ outcome: 'failed', error: { status: 500, code: 'c', message } }).content).toHaveLength(4_000);
  });

  it('leaves the content of a request in the Anthropic dialect empty', () => {
    expect(draftOf({ endpoint: 'messages' }).content).toBe('');
  });
});

describe('otherOf', () => {
  it('has quota and outcome but no ratios when the price version is unknown', () => {
    const { content, request: row } = toRequestDraft(eventOf(), undefined);
    expect([content, row.quota, row.other.outcome, row.other.frt]).toEqual(['', 123, 'completed', 400]);
    expect(Object.keys(row.other).filter((name) => name.endsWith('_ratio') || name === 'model_price')).toEqual([]);
  });

  it('contains the doubt about the usage, and the policy for disconnected clients', () => {
    expect(otherOf(request({ usageDoubt: 'implausible', abortPolicy: 'drain' }))).toMatchObject({
      usage_doubt: 'implausible',
      abort_policy: 'drain',
    });
  });

  it('has only the group ratio when a fixed price applies', () => {
    expect(otherOf(request(), { modelPrice: 0.01 })).toMatchObject({
      model_ratio: 0,
      completion_ratio: 0,
      cache_ratio: 0,
      model_price: 0.01,
      group_ratio: 0.5,
    });
  });

  it('always states cache writes for Anthropic, and for others only when there were some', () => {
    const anthropic = { ...usage, semantics: 'anthropic' as const };
    expect(otherOf(request({ usage: anthropic }))).toMatchObject({
      claude: true,
      cache_creation_tokens: 0,
      cache_creation_ratio: 1.25,
    });
    expect(otherOf(request())).not.toHaveProperty('cache_creation_tokens');
    expect(otherOf(request({ usage: { ...usage, cacheWriteTokens: 4 } }))).toMatchObject({
      cache_creation_tokens: 4,
    });
    expect(otherOf(request({ usage: { ...usage, cacheWriteTokens: 4 } }))).not.toHaveProperty('claude');
  });

  it('states the lifetime of cache writes when some are kept for an hour', () => {
    const written = { ...usage, semantics: 'anthropic' as const, cacheWriteTokens: 500, cacheWriteHourTokens: 300 };
    expect(otherOf(request({ usage: written }))).toMatchObject({
      cache_creation_tokens: 500,
      cache_creation_tokens_5m: 200,
      cache_creation_ratio_5m: 1.25,
      cache_creation_tokens_1h: 300,
      cache_creation_ratio_1h: 2,
    });
    expect(otherOf(request({ usage: { ...written, cacheWriteHourTokens: 0 } }))).not.toHaveProperty(
      'cache_creation_tokens_1h',
    );
  });

  it('has the time of the first token only for streams that had one', () => {
    expect(otherOf(request()).frt).toBe(400);
    expect(otherOf(request({ isStream: false })).frt).toBe(-1000);
    expect(otherOf(request({ firstTokenMs: undefined })).frt).toBe(-1000);
  });

  it('has for a task no ratios of tokens, no cached tokens and no time of a first token', () => {
    const other = otherOf(request({ endpoint: 'task', isStream: false }), { modelPrice: 0.1 });
    expect(other).toMatchObject({ model_price: 0.1, group_ratio: price.groupRatio });
    for (const key of ['model_ratio', 'completion_ratio', 'cache_ratio', 'cache_tokens', 'frt'])
      expect(other).not.toHaveProperty(key);
  });

  it('mentions a mapped model only when the name changed', () => {
    expect(otherOf(request({ upstreamModel: 'm' }))).not.toHaveProperty('is_model_mapped');
    expect(otherOf(request({ upstreamModel: 'n' }))).toMatchObject({
      is_model_mapped: true,
      upstream_model_name: 'n',
    });
  });

  it('has the family name of a custom GPT, and states which one it was', () => {
    const custom = { model: 'gpt-4o-gizmo-g-abc', upstreamModel: 'gpt-4o-gizmo-g-abc' };
    expect(draftOf(custom).request.modelName).toBe('gpt-4o-gizmo-*');
    expect(otherOf(request(custom))).toMatchObject({ upstream_model_name: 'gpt-4o-gizmo-g-abc' });
    expect(otherOf(request(custom))).not.toHaveProperty('is_model_mapped');
    expect(otherOf(request({ ...custom, upstreamModel: 'n' }))).toMatchObject({
      is_model_mapped: true,
      upstream_model_name: 'n',
    });
  });

  it('lists channels in the order they were tried, for administrators only', () => {
    const { attempts } = request();
    const failed = { channelId: 8, channelType: 1, class: 'timeout', status: 504, durationMs: 9 } as const;
    const other = otherOf(request({ attempts: [failed, ...attempts] }));
    expect(other.admin_info?.use_channel).toEqual(['8', '3']);
    expect(other.admin_info?.attempts?.[0]).toEqual({ channel_id: 8, class: 'timeout', status: 504, duration_ms: 9 });
    expect(otherOf(request()).admin_info).toEqual({ use_channel: ['3'] });
    const named = otherOf(request({ isChannelNamed: true }));
    expect(named.admin_info).toEqual({ use_channel: ['3'], named_channel: true });
  });

  it('states image and audio tokens separately', () => {
    const media = { ...usage, audioInputTokens: 7, audioOutputTokens: 5, imageInputTokens: 3 };
    const other = otherOf(request({ usage: media }), { audioRatio: 16, audioCompletionRatio: 2, imageRatio: 5 });
    expect(other).toMatchObject({
      audio: true,
      audio_input: 7,
      audio_output: 5,
      text_input: 60,
      text_output: 20,
      audio_ratio: 16,
      audio_completion_ratio: 2,
    });
    expect(other).toMatchObject({ image: true, image_output: 3, image_ratio: 5 });
    expect(otherOf(request({ endpoint: 'realtime', usage: media }))).toMatchObject({ ws: true });
  });

  it('states the audio ratios of realtime also when no sound was used', () => {
    expect(otherOf(request({ endpoint: 'realtime' }), { audioRatio: 8, audioCompletionRatio: 2 })).toMatchObject({
      ...{ ws: true, audio_input: 0, audio_output: 0, audio_ratio: 8, audio_completion_ratio: 2 },
    });
    expect(draftOf({ endpoint: 'realtime' }).content).toContain('音频倍率');
    expect(draftOf().content).not.toContain('音频倍率');
    expect(draftOf({ usage: { ...usage, audioInputTokens: 7 } }).content).toContain('音频倍率');
  });

  it('states the audio ratios that were applied, with and without a price for audio', () => {
    const sound = { ...usage, audioInputTokens: 7, audioOutputTokens: 5 };
    const ratiosOf = (change: Partial<typeof price>): unknown[] => {
      const other = otherOf(request({ usage: sound }), change);
      return [other.audio_ratio, other.audio_completion_ratio];
    };
    expect(ratiosOf({ completionRatio: 4 })).toEqual([1, 4]);
    expect(ratiosOf({ modelPrice: 0.1 })).toEqual([0, 0]);
  });
});
