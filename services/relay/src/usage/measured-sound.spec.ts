import { describe, expect, it } from '@jest/globals';
import { wavFile } from '@tollgate/testing';
import { noUsage } from '../call/outcome.js';
import { lengthInFile, measuredSound } from './measured-sound.js';

/** Frames of 417 bytes at 128 kbit/s, each 1152 samples of 44 100 a second. */
function mp3(seconds: number): Buffer {
  const frame = Buffer.alloc(417);
  frame.writeUInt32BE(0xfffb9064, 0);
  return Buffer.concat(Array.from({ length: Math.ceil((seconds * 44_100) / 1152) }, () => frame));
}

const wav = (seconds: number): Buffer => wavFile(Buffer.alloc(8000 * seconds));

const sound = (file: Buffer, isComplete = true) => ({
  ...{ head: file.subarray(0, 512), mostBytes: file.length, isComplete },
  ...(isComplete && { kept: file }),
});
const told = (inputTokens: number) => ({ ...noUsage, inputTokens });

describe('the length of a sound', () => {
  it('goes by the file, whatever the upstream states', async () => {
    for (const stated of [0, 17, 1000, 60_000])
      expect(await lengthInFile(sound(wav(60)), told(stated))).toEqual(told(1000));
    const [least, most] = [told(983), told(1017)].map(({ inputTokens }) => inputTokens);
    for (const stated of [0, 17, 1000, 1900]) {
      const { inputTokens = 0 } = (await lengthInFile(sound(mp3(60)), told(stated))) ?? {};
      expect(inputTokens).toBeGreaterThanOrEqual(least ?? 0);
      expect(inputTokens).toBeLessThanOrEqual(most ?? 0);
    }
  });

  it('goes by the upstream where the header of compressed sound states far less, or nothing', async () => {
    expect(await lengthInFile(sound(mp3(3)), told(1000))).toBeUndefined();
    expect(await lengthInFile(sound(Buffer.alloc(90_000, 'x')), told(1000))).toBeUndefined();
    expect(await lengthInFile(sound(wav(60), false), told(1000))).toBeUndefined();
  });

  it('is estimated where it is not stated, and 0 until the file is complete', async () => {
    expect(await measuredSound(sound(wav(30)))).toEqual(told(500));
    expect(await measuredSound(sound(Buffer.alloc(16_000 * 30, 'x')))).toEqual(told(500));
    expect(await measuredSound(sound(wav(30), false))).toEqual(told(0));
  });
});
