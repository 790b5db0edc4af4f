import { describe, expect, it } from '@jest/globals';
import { type EventEnvelope, MAX_CONSUMPTION_BYTES, requestConsumed } from '@tollgate/contracts';
import { fromRecord } from '@tollgate/chassis';
import { encodeFrame, FrameKind } from './frames.js';
import { withinSize } from './leftover.js';
import { recover } from './recovery.js';
import type { Segment } from './segment-writer.js';

const id = '019aa5b2-7c31-7f00-8abc-0123456789ab';
/** A record of the previous version, which did not limit the length of an upstream's text. */
const old = (message: string): EventEnvelope => ({
  specversion: '1.0',
  id,
  type: 'request-consumed',
  source: 'relay',
  subject: '7',
  time: '2026-11-21T03:00:00.000Z',
  datacontenttype: 'application/json',
  dataversion: 1,
  data: {
    userId: 7,
    tokenId: 3,
    channelId: 2,
    model: 'gpt-4o',
    group: 'default',
    endpoint: 'messages',
    usage: { semantics: 'openai', inputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 12 },
    usageSource: 'upstream',
    priceVersion: 'v1',
    price: { modelRatio: 1.25 },
    rating: [{ item: 'input', units: 9, ratio: 1 }],
    quota: 72,
    outcome: 'failed',
    attempts: [],
    error: { status: 400, code: 'c', message },
    replicaEpoch: 'one',
    isStream: false,
    startedAt: '2026-11-21T03:00:00.000Z',
    durationMs: 41,
  },
});

async function* segmentWith(frame: Buffer): AsyncGenerator<{ segment: Segment; bytes: Buffer }> {
  yield await Promise.resolve({ segment: { path: '0', bytes: 0, sealed: true, records: 0 }, bytes: frame });
}

describe('what an earlier release left in the spool', () => {
  it('reaches the log unchanged when it is small', () => {
    const payload = JSON.stringify(old('short'));
    expect(withinSize(payload)).toBe(payload);
    expect(fromRecord(requestConsumed, payload).data).toMatchObject({ quota: 72, error: { message: 'short' } });
  });

  it('reaches the log shortened when it exceeds the size of a record, and is booked', () => {
    const payload = withinSize(JSON.stringify(old('错'.repeat(550_000))));
    expect(Buffer.byteLength(payload)).toBeLessThan(MAX_CONSUMPTION_BYTES);
    expect(fromRecord(requestConsumed, payload)).toMatchObject({ id, dataversion: 2, data: { userId: 7, quota: 72 } });
  });

  it('is recovered from what was written before its relay died', async () => {
    const frame = encodeFrame(FrameKind.open, JSON.stringify({ id, event: old('x'.repeat(2_000_000)) }));
    const { interrupted } = await recover(segmentWith(frame));
    const event = interrupted.get(id)?.event;
    expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(MAX_CONSUMPTION_BYTES);
    expect(event).toMatchObject({ id, dataversion: 2, data: { outcome: 'interrupted', quota: 72 } });
    expect(event?.data).not.toHaveProperty('price');
  });

  it('stays unchanged when it matches no contract, so that its reader reports why', () => {
    const broken = JSON.stringify({ id, dataversion: 1, data: { text: 'x'.repeat(100_000) } });
    expect(withinSize(broken)).toBe(broken);
  });
});
