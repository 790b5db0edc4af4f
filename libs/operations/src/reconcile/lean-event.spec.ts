import { describe, expect, it } from '@jest/globals';
import { requestConsumed, type RequestConsumed } from '@tollgate/contracts';
import { fromRecord, serialise, toEnvelope } from '@tollgate/chassis';
import { leanEvent } from './lean-event.js';

const data = {
  ...{
    userId: 5,
    tokenId: 3,
    channelId: 1,
    model: 'gpt-4o',
    group: 'default',
    endpoint: 'chat',
    usageSource: 'upstream',
  },
  usage: { semantics: 'openai', inputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 4 },
  ...{ priceVersion: 'v1', quota: 7, outcome: 'completed', attempts: [], replicaEpoch: 'e', isStream: false },
  ...{ startedAt: '2026-11-21T03:00:00.000Z', durationMs: 5 },
} as RequestConsumed;
const textOf = (change: (event: Record<string, unknown>) => void = () => undefined): string => {
  const event = JSON.parse(serialise(toEnvelope(requestConsumed, 'relay', data))) as Record<string, unknown>;
  change(event);
  return JSON.stringify(event);
};
const inData = (more: object) => (event: Record<string, unknown>) => Object.assign(event['data'] as object, more);

describe('leanEvent', () => {
  it('reads an ordinary event as the contract does', () => {
    const text = textOf();
    expect(leanEvent(text)).toEqual(fromRecord(requestConsumed, text));
  });

  it.each([
    ['another topic', (event: Record<string, unknown>) => (event['type'] = 'other')],
    ['another version', (event: Record<string, unknown>) => (event['dataversion'] = 99)],
    ['an id that is none', (event: Record<string, unknown>) => (event['id'] = 'x')],
    ['no data', (event: Record<string, unknown>) => delete event['data']],
    ['a word of a later release', inData({ outcome: 'evaporated' })],
    ['a charge that is no number', inData({ quota: '7' })],
    ['a charge below zero', inData({ quota: -7 })],
    ['a user beyond any table', inData({ userId: 2 ** 31 })],
    ['no user', inData({ userId: null })],
    ['no usage', inData({ usage: null })],
    ['tokens that are no number', inData({ usage: { ...data.usage, audioInputTokens: 'many' } })],
    ['pictures', inData({ usage: { ...data.usage, pictures: { count: 1, size: 'auto', quality: 'low' } } })],
    ['a task', inData({ task: { action: 'MUSIC', upstreamId: 'u' } })],
  ])('leaves %s to the contract', (_, change) => {
    expect(leanEvent(textOf(change))).toBeUndefined();
  });

  it('returns nothing for JSON that is not an object, and throws for invalid JSON', () => {
    expect(() => leanEvent('no JSON')).toThrow(SyntaxError);
    expect(leanEvent('null')).toBeUndefined();
    expect(leanEvent('"text"')).toBeUndefined();
  });
});
