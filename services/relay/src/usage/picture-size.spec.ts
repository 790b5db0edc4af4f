import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pictureSize } from './picture-size.js';

const padded = (hex: string): Buffer => Buffer.concat([Buffer.from(hex.replaceAll(' ', ''), 'hex'), Buffer.alloc(40)]);

describe('pictureSize', () => {
  it.each([
    ['a PNG', '89504e470d0a1a0a 0000000d 49484452 00000800 00000400'],
    ['a GIF', '474946383961 0008 0004'],
    ['a JPEG behind its tables', 'ffd8 ffe0 0004 0000 ffdb 0006 00000000 ffc2 0011 08 0400 0800'],
    ['a lossy WebP', '52494646 00000000 57454250 56503820 00000000 000000 9d012a 0008 0004'],
    ['a lossless WebP', '52494646 00000000 57454250 5650384c 00000000 2f ffc7ff00'],
    ['an extended WebP', '52494646 00000000 57454250 56503858 00000000 00000000 ff0700 ff0300'],
  ])('reads the size of %s', (_, hex) => {
    expect(pictureSize(padded(hex))).toEqual({ width: 2048, height: 1024 });
  });

  it('is undefined for other formats, truncated and empty data', () => {
    for (const bytes of ['', 'ffd8', '89504e47', `ffd8${'00'.repeat(60)}`, '474946383961 0000 0000'])
      expect(pictureSize(padded(bytes))).toBeUndefined();
    expect(pictureSize(Buffer.alloc(3))).toBeUndefined();
  });

  it('tolerates any data that begins like a picture', () => {
    const heads = ['ffd8ff', '89504e47', '47494638', '524946460000000057454250565038'];
    fc.assert(
      fc.property(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 300 }), (head, rest) => {
        const { width, height } = pictureSize(Buffer.concat([Buffer.from(head, 'hex'), rest])) ?? {
          ...{ width: 1, height: 1 },
        };
        expect(Math.min(width, height)).toBeGreaterThan(0);
      }),
    );
  });
});
