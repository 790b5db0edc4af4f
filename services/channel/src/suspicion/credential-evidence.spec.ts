import { describe, expect, it } from '@jest/globals';
import { consumed } from '../../test/consumed-event.js';
import { credentialEvidence, quotaByChannel, servedChannels } from './credential-evidence.js';

const refusal = {
  channelId: 5,
  channelType: 1,
  class: 'credential',
  status: 401,
  errorCode: 'invalid_api_key',
  durationMs: 1,
} as const;

describe('usage and credential failures of channels in request events', () => {
  it('sums the quota per channel, without free requests and requests that reached no channel', () => {
    const events = [
      consumed({ channelId: 1, quota: 3 }),
      consumed({ channelId: 2, quota: 5 }),
      consumed({ channelId: 1, quota: 4 }),
      consumed({ channelId: 3, quota: 0 }),
      consumed({ channelId: 0, quota: 9 }),
    ];
    expect([...quotaByChannel(events)]).toEqual([
      [1, 7],
      [2, 5],
    ]);
  });

  it('keeps the latest refused credential of each channel, and no other failure', () => {
    const events = [
      consumed({ attempts: [{ ...refusal, message: 'second' }], startedAt: '2026-01-01T00:00:02.000Z' }),
      consumed({ attempts: [{ ...refusal, message: 'first' }], startedAt: '2026-01-01T00:00:01.000Z' }),
      consumed({ attempts: [{ ...refusal, channelId: 6, class: 'rate-limited' }] }),
    ];
    const evidence = credentialEvidence(events);
    expect(evidence).toHaveLength(1);
    expect(evidence[0]).toMatchObject({
      ...{ channelId: 5, keyId: '' },
      reason: 'second',
      observedAt: new Date('2026-01-01T00:00:02.000Z'),
      details: { status: 401, requestId: events[0]?.id },
    });
    expect(evidence[0]?.witnesses.map(({ requestId }) => requestId)).toEqual([events[0]?.id, events[1]?.id]);
  });

  it('keeps the failures of each key apart', () => {
    const events = ['a', 'b', 'a'].map((keyId) => consumed({ attempts: [{ ...refusal, keyId }] }));
    const found = credentialEvidence(events).map(({ keyId, witnesses }) => [keyId, witnesses.length]);
    expect(found).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });

  it('names the channels that answered a request', () => {
    const events = [
      consumed({ channelId: 1 }),
      consumed({ channelId: 1 }),
      consumed({ channelId: 2, outcome: 'failed' }),
      consumed({ channelId: 0 }),
    ];
    expect(servedChannels(events)).toEqual([1]);
  });

  it('describes a refusal without a message', () => {
    const [found] = credentialEvidence([consumed({ attempts: [refusal] })]);
    expect(found?.reason).toBe('status code 401, invalid_api_key');
  });
});
