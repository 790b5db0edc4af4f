import { describe, expect, it } from '@jest/globals';
import { mostSoundTokens, soundUsage } from './sound.js';

interface Wav {
  format?: number;
  sub?: number;
  rate?: number;
  channels?: number;
  bits?: number;
  frame?: number;
  before?: number;
}

function wavHead({ format = 1, sub = 0, rate = 8000, channels = 1, bits = 16, ...rest }: Wav = {}): Buffer {
  const { frame = (channels * bits) / 8, before = 0 } = rest;
  const head = Buffer.alloc(72 + before);
  head.write('RIFF', 0);
  head.write('WAVE', 8);
  if (before > 0) {
    head.write('LIST', 12);
    head.writeUInt32LE(before - 8, 16);
  }
  const at = 12 + before;
  head.write('fmt ', at);
  head.writeUInt32LE(format === 65_534 ? 40 : 16, at + 4);
  head.writeUInt16LE(format, at + 8);
  head.writeUInt16LE(channels, at + 10);
  head.writeUInt32LE(rate, at + 12);
  head.writeUInt16LE(frame, at + 20);
  head.writeUInt16LE(bits, at + 22);
  head.writeUInt16LE(sub, at + 32);
  return head;
}
const sound = (head: Buffer, mostBytes: number, isComplete = true) => ({ head, mostBytes, isComplete });

describe('what a sound counts for', () => {
  it("is a minute for a minute of samples, regardless of the header's size", () => {
    for (const before of [0, 20]) {
      const head = wavHead({ before });
      head.write('data', 12 + before + 24);
      const samples = 12 + before + 24 + 8;
      expect(soundUsage(sound(head, samples + 16_000 * 60)).inputTokens).toBe(1000);
      expect(soundUsage(sound(head, samples + 16_000 * 60 + 1)).inputTokens).toBe(1017);
    }
  });
});

describe('the most that a sound can count for', () => {
  it('goes by the lowest bit rate of intelligible speech', () => {
    expect(mostSoundTokens(sound(Buffer.from('ID3'), 750 * 60))).toBe(1000);
    expect(mostSoundTokens(sound(Buffer.alloc(0), 0))).toBe(0);
  });

  it('is its true length if it is uncompressed, wherever the file states its format', () => {
    expect(mostSoundTokens(sound(wavHead(), 16_000 * 60))).toBe(1000);
    expect(mostSoundTokens(sound(wavHead({ before: 20 }), 16_000 * 60))).toBe(1000);
    expect(mostSoundTokens(sound(wavHead({ before: 21 }), 16_000 * 60))).toBeGreaterThan(1000);
  });

  it('goes by the format that an extensible description names', () => {
    const extensible = (sub: number) => wavHead({ format: 65_534, sub, channels: 2 });
    for (const sub of [1, 3]) expect(mostSoundTokens(sound(extensible(sub), 32_000 * 60))).toBe(1000);
    for (const sub of [0, 2, 85]) expect(mostSoundTokens(sound(extensible(sub), 45_000))).toBe(1000);
  });

  it.each<Wav>([
    { rate: 16_000, frame: 65_535 },
    { channels: 2, frame: 2 },
    { channels: 65_535, bits: 16, frame: 65_535 },
    { rate: 4_000_000_000 },
    { rate: 1 },
    { channels: 0 },
    { bits: 256 },
    { bits: 12, channels: 2 },
  ])('treats a file with an implausible description as compressed: %j', (wav) => {
    expect(mostSoundTokens(sound(wavHead(wav), 45_000))).toBe(1000);
    expect(soundUsage(sound(wavHead(wav), 16_000 * 60)).inputTokens).toBe(1000);
  });

  it('ignores an incomplete header, and that of a compressed format', () => {
    for (const head of [wavHead({ rate: 0 }), wavHead({ format: 85 }), wavHead().subarray(0, 20), Buffer.from('RIFF')])
      expect(mostSoundTokens(sound(head, 45_000))).toBe(1000);
  });
});

describe('our own count of a sound', () => {
  it('is its length at the usual bit rate, or the true length', () => {
    expect(soundUsage(sound(Buffer.from('ID3'), 16_000 * 60)).inputTokens).toBe(1000);
    expect(soundUsage(sound(wavHead(), 16_000 * 30)).inputTokens).toBe(500);
  });

  it('is 0 until the file is complete', () => {
    expect(soundUsage(sound(Buffer.from('ID3'), 16_000 * 60, false)).inputTokens).toBe(0);
  });
});
