import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checksumByKafkajs, crc32c } from './plain-checksum.js';

describe('crc32c', () => {
  it.each([
    // RFC 3720, appendix B.4
    ['32 bytes of zeros', Buffer.alloc(32), 0x8a9136aa],
    ['32 bytes of ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
    ['rising bytes', Buffer.from(Array.from({ length: 32 }, (_, index) => index)), 0x46dd794e],
    ['the digits', Buffer.from('123456789'), 0xe3069283],
    ['nothing', Buffer.alloc(0), 0],
  ])('of %s is the published one', (_, bytes, expected) => {
    expect(crc32c(bytes)).toBe(expected);
  });

  it('is the number that kafkajs computes, at any length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(crc32c(bytes)).toBe(checksumByKafkajs(bytes));
      }),
    );
  });
});
