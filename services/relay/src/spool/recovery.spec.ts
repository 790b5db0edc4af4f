import { describe, expect, it } from '@jest/globals';
import type { EventEnvelope } from '@tollgate/contracts';
import fc from 'fast-check';
import { decodeFrames, encodeFrame, FrameKind } from './frames.js';
import { type Recovered, recover } from './recovery.js';
import type { Segment } from './segment-writer.js';

const event = (id: string, data: object): EventEnvelope => ({ id, subject: '7', data }) as EventEnvelope;
const opened = (id: string, quota = 1): Buffer =>
  encodeFrame(FrameKind.open, JSON.stringify({ id, event: event(id, { outcome: 'interrupted', quota }) }));
const progressed = (id: string, quota: number): Buffer =>
  encodeFrame(FrameKind.progress, JSON.stringify({ id, data: { quota } }));
const closed = (id: string, quota: number): Buffer =>
  encodeFrame(FrameKind.close, JSON.stringify(event(id, { outcome: 'completed', quota })));

const segmentNamed = (path: string): Segment => ({ path, bytes: 0, sealed: true, records: 0 });

function recovered(...segments: Buffer[][]): Promise<Recovered> {
  async function* files(): AsyncGenerator<{ segment: Segment; bytes: Buffer }> {
    for (const [index, frames] of segments.entries()) {
      yield await Promise.resolve({ segment: segmentNamed(String(index)), bytes: Buffer.concat(frames) });
    }
  }
  return recover(files());
}

describe('frames', () => {
  it('are read back as written, up to a torn or damaged one', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), fc.nat(), (payloads, cut) => {
        const frames = payloads.map((payload) => encodeFrame(FrameKind.close, payload));
        const whole = Buffer.concat(frames);
        expect(decodeFrames(whole).frames.map(({ payload }) => payload)).toEqual(payloads);
        const kept = cut % whole.length;
        const torn = decodeFrames(whole.subarray(0, kept));
        expect(torn.frames.map(({ payload }) => payload)).toEqual(payloads.slice(0, torn.frames.length));
        expect(torn.validBytes).toBeLessThanOrEqual(kept);
        const damaged = Buffer.from(whole);
        damaged[kept] = (damaged[kept] ?? 0) ^ 0xff;
        expect(decodeFrames(damaged).frames.length).toBeLessThan(payloads.length);
      }),
    );
  });
});

describe('recover', () => {
  it('books a closed request as closed, whatever was written before', async () => {
    const { closed: records, interrupted } = await recovered([opened('a'), progressed('a', 5)], [closed('a', 7)]);
    expect(records.get('a')).toMatchObject({ key: '7', location: { segment: { path: '1' }, offset: 0 } });
    expect(interrupted.size).toBe(0);
  });

  it('books an open request as interrupted, with its last progress, under the same id', async () => {
    const { interrupted } = await recovered([opened('a'), progressed('a', 5)], [closed('b', 1), progressed('a', 9)]);
    expect(interrupted.get('a')?.event).toEqual(event('a', { outcome: 'interrupted', quota: 9 }));
    expect([...(interrupted.get('a')?.segments ?? [])].map(({ path }) => path)).toEqual(['0', '1']);
  });

  it('needs only the newest complete record of a request', async () => {
    const { interrupted } = await recovered([opened('a'), progressed('a', 5)], [opened('a', 9)]);
    expect(interrupted.get('a')?.event.data).toEqual({ outcome: 'interrupted', quota: 9 });
    expect([...(interrupted.get('a')?.segments ?? [])].map(({ path }) => path)).toEqual(['1']);
  });

  it('keeps a close whose open was written later', async () => {
    const { closed: records, interrupted } = await recovered([closed('a', 7), opened('a'), progressed('a', 3)]);
    expect([records.size, interrupted.size]).toEqual([1, 0]);
  });
});
