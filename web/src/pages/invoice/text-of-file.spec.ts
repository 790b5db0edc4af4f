import { describe, expect, it } from '@jest/globals';
import { textOfBytes } from './text-of-file.js';

const of = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes);
const [sun, era] = [String.fromCharCode(0x65e5), String.fromCharCode(0x671f)];

describe('the text of a file', () => {
  it('is read in the encodings that spreadsheets save', () => {
    expect(textOfBytes(new TextEncoder().encode(`\uFEFF${sun}${era},1`))).toBe(`${sun}${era},1`);
    expect(textOfBytes(of(0xff, 0xfe, 0x65, 0x00, 0xe5, 0x65))).toBe(`e${sun}`);
    expect(textOfBytes(of(0xfe, 0xff, 0x00, 0x65, 0x65, 0xe5))).toBe(`e${sun}`);
    // In GBK, as Chinese editions of Windows write it.
    expect(textOfBytes(of(0xc8, 0xd5, 0xc6, 0xda, 0x2c, 0x31))).toBe(`${sun}${era},1`);
  });
});
