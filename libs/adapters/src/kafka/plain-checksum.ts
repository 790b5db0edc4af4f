import { createRequire } from 'node:module';

type Checksum = (bytes: Uint8Array) => number;

const require = createRequire(import.meta.url);
const PLACE = require.resolve('kafkajs/src/protocol/recordBatch/crc32C/index.js');
export const checksumByKafkajs = require(PLACE) as Checksum;

/** Castagnoli's polynomial, lowest power first (RFC 3720, appendix B.4). */
const POLYNOMIAL = 0x82f63b78;
/** Bytes that are looked up at once. */
const STEP = 8;
const VALUES = 256;

/**
 * The remainder of each value of a byte that is followed by 0 to 7 zero bytes, one table after the other. The numbers
 * are signed, because V8 keeps those of 32 bits without an object for each.
 */
function remainders(): Int32Array {
  const table = new Int32Array(STEP * VALUES);
  for (let value = 0; value < VALUES; value += 1) {
    let rest = value;
    for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
    table[value] = rest;
  }
  for (let at = VALUES; at < table.length; at += 1) {
    const shorter = table[at - VALUES] as number;
    table[at] = (table[shorter & 0xff] as number) ^ (shorter >>> 8);
  }
  return table;
}

const REMAINDERS = remainders();

/** CRC-32C, unsigned, as kafkajs computes it for a batch of records one byte at a time, which takes three to four times as long. */
export function crc32c(bytes: Uint8Array): number {
  let crc = -1;
  let at = 0;
  const whole = bytes.length - (bytes.length % STEP);
  for (; at < whole; at += STEP) {
    const first = crc ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
    crc =
      REMAINDERS[7 * VALUES + (first & 0xff)]! ^
      REMAINDERS[6 * VALUES + ((first >>> 8) & 0xff)]! ^
      REMAINDERS[5 * VALUES + ((first >>> 16) & 0xff)]! ^
      REMAINDERS[4 * VALUES + (first >>> 24)]! ^
      REMAINDERS[3 * VALUES + bytes[at + 4]!]! ^
      REMAINDERS[2 * VALUES + bytes[at + 5]!]! ^
      REMAINDERS[VALUES + bytes[at + 6]!]! ^
      REMAINDERS[bytes[at + 7]!]!;
  }
  for (; at < bytes.length; at += 1) crc = REMAINDERS[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
  return (crc ^ -1) >>> 0;
}

/** Makes every producer of this process use this checksum. Call before the first one sends, because kafkajs looks the function up once. */
export function checkPlainly(): void {
  const module = require.cache[PLACE];
  if (module) module.exports = crc32c;
}
