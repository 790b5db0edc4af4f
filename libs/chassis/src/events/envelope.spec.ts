import { describe, expect, it } from '@jest/globals';
import { requestConsumed, type RequestConsumed } from '@tollgate/contracts';
import { fromRecord, toEnvelope } from './envelope.js';
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
    // The source must be a URI reference, so it resolves against any base.
    expect(URL.canParse(String(event.source), 'https://tollgate.example/')).toBe(true);
  });

  it('is refused before it is stored when its data break the contract', () => {
    expect(() => toEnvelope(requestConsumed, 'relay', { ...consumed, quota: -1 })).toThrow();
  });

  it('of a later version is not applied, because its data may mean something else', () => {
    const later = JSON.stringify({ ...event, dataversion: requestConsumed.version + 1 });
    expect(() => fromRecord(requestConsumed, later)).toThrow(
      `event "request-consumed" has version ${requestConsumed.version + 1}, this release knows only up to ${requestConsumed.version}`,
    );
  });

  describe('of a release that has more words', () => {
    const read = (change: object): RequestConsumed =>
      fromRecord(requestConsumed, JSON.stringify({ ...event, data: { ...consumed, ...change } })).data;

    it('is read with general ones, and charged as it says', () => {
      const trial = { ...consumed.attempts[0], class: 'of-tomorrow', nameOfTomorrow: 1 };
      const strange = { outcome: 'x', usageSource: 'x', usageDoubt: 'x', abortPolicy: 'x', endpoint: 'x' };
      expect(read({ ...strange, attempts: [trial], fieldOfTomorrow: {} })).toEqual({
        ...consumed,
        outcome: 'interrupted',
        usageSource: 'estimated',
        usageDoubt: 'implausible',
        abortPolicy: 'reported',
        endpoint: 'chat',
        attempts: [{ ...consumed.attempts[0], class: 'invalid' }],
      });
    });

    it('counts as failed where it answered an error and cost nothing', () => {
      const error = { status: 400, code: 'c', message: 'm' };
      expect(read({ outcome: 'x', error, quota: 0 }).outcome).toBe('failed');
      expect(read({ outcome: 'x', error }).outcome).toBe('interrupted');
    });

    it('keeps every word that is known', () => {
      for (const outcome of requestConsumed.data.shape.outcome.options) expect(read({ outcome }).outcome).toBe(outcome);
    });

    it('is still refused for anything but a word', () => {
      for (const change of [{ outcome: 7 }, { outcome: undefined }, { quota: 'x' }, { usage: { semantics: 'x' } }])
        expect(() => read(change)).toThrow();
    });
  });
});
