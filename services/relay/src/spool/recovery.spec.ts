import { describe, expect, it } from '@jest/globals';
import type { EventEnvelope } from '@tollgate/contracts';
import fc from 'fast-check';
import { decodeFrames, encodeFrame, FrameKind } from './frames.js';
import { recover } from './recovery.js';

const event = (id: string, data: object): EventEnvelope => ({ id, data }) as EventEnvelope;
const opened = (id: string): Buffer =>
  encodeFrame(FrameKind.open, JSON.stringify({ id, event: event(id, { outcome: 'interrupted', quota: 1 }) }));
const progressed = (id: string, quota: number): Buffer =>
  encodeFrame(FrameKind.progress, JSON.stringify({ id, data: { quota } }));
const closed = (id: string, quota: number): Buffer =>
  encodeFrame(FrameKind.close, JSON.stringify(event(id, { outcome: 'completed', quota })));

describe('frames', () => {
  it('read back whatever was written, and stop at a torn or damaged tail', () => {
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
  it('books a closed request as it closed, whatever was written before', () => {
    const { events, interrupted } = recover([Buffer.concat([opened('a'), progressed('a', 5), closed('a', 7)])]);
    expect(events.get('a')?.data).toEqual({ outcome: 'completed', quota: 7 });
    expect(interrupted).toBe(0);
  });

  it('books an open request as interrupted from its last progress, under the same id', () => {
    const { events, interrupted } = recover([Buffer.concat([opened('a'), progressed('a', 5)]), progressed('a', 9)]);
    expect(events.get('a')?.data).toEqual({ outcome: 'interrupted', quota: 9 });
    expect(interrupted).toBe(1);
  });

  it('keeps a close whose open was written later', () => {
    const { events } = recover([Buffer.concat([closed('a', 7), opened('a'), progressed('a', 3)])]);
    expect(events.get('a')?.data).toEqual({ outcome: 'completed', quota: 7 });
  });
});
