import { describe, expect, it } from '@jest/globals';
import { requestConsumed, type RequestConsumed } from '@tollgate/contracts';
import { toEnvelope } from './envelope.js';
import { serialise } from './event-log.js';

const consumed: RequestConsumed = {
  userId: 7,
  tokenId: 3,
  channelId: 2,
  model: 'gpt-4o',
  group: 'default',
  endpoint: 'chat',
  usage: { semantics: 'openai', inputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 12 },
  usageSource: 'upstream',
  priceVersion: 'v1',
  quota: 72,
  outcome: 'completed',
  attempts: [{ channelId: 2, channelType: 1, class: 'ok', status: 200, durationMs: 40 }],
  replicaEpoch: 'one',
  isStream: false,
  startedAt: '2026-11-21T03:00:00.000Z',
  durationMs: 41,
};

describe('an event on its way to the log', () => {
  const id = '019372f0-5b2a-7cc3-98c4-dc0c0c07398f';
  const record = serialise(toEnvelope(requestConsumed, 'relay', consumed, id));
  const event = JSON.parse(record) as Record<string, unknown>;

  it('is a CloudEvent 1.0 in structured JSON', () => {
    expect(event).toMatchObject({ specversion: '1.0', id, type: 'request-consumed', source: 'relay', subject: '7' });
    expect(event.datacontenttype).toBe('application/json');
    expect(event.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    expect(event.data).toEqual(consumed);
  });

  it('names its attributes as CloudEvents allow and gives them simple values', () => {
    const { data: _, ...attributes } = event;
    expect(Object.keys(attributes).filter((name) => !/^[a-z0-9]{1,20}$/.test(name))).toEqual([]);
    expect(Object.values(attributes).filter((value) => value === '' || typeof value === 'object')).toEqual([]);
    // A URI reference: resolves against any base.
    expect(URL.canParse(String(event.source), 'https://tollgate.example/')).toBe(true);
  });

  it('is refused before anybody stores it when its data break the contract', () => {
    expect(() => toEnvelope(requestConsumed, 'relay', { ...consumed, quota: -1 })).toThrow();
  });
});
