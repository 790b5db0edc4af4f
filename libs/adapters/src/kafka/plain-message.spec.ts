import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type BatchContext, decodeByKafkajs, decodePlainRecord } from './plain-message.js';
import { encodeByKafkajs, type PlainRecord } from './plain-record.js';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom('', '错'.repeat(3000), 'x'.repeat(9000)),
);
const bytes = fc.oneof(text, fc.constant(null));
const number = fc.oneof(fc.integer({ min: -300, max: 300 }), fc.integer());
const large = fc
  .oneof(fc.bigInt(0n, 2n ** 62n), fc.bigInt(0n, 2n ** 45n), fc.constantFrom(0n, 2n ** 53n - 1n, 2n ** 53n + 1n))
  .map(String);
const headers = fc.constantFrom(undefined, {}, { 'content-type': 'application/cloudevents+json', 错: '😀'.repeat(70) });
const batches = fc.record({
  ...{ firstOffset: large, firstTimestamp: large, maxTimestamp: large, magicByte: fc.constant(2) },
  ...{ isControlBatch: fc.boolean(), timestampType: fc.constantFrom(0, 1) },
});

/** A record as it lies in a batch, without the length before it. */
function bytesOf(record: PlainRecord): Buffer {
  const { buffer } = encodeByKafkajs(record);
  let at = 0;
  while ((buffer[at] ?? 0) >= 0x80) at += 1;
  return buffer.subarray(at + 1);
}

describe('decodePlainRecord', () => {
  it('makes the message that kafkajs makes', () => {
    fc.assert(
      fc.property(
        fc.record({ key: bytes, value: bytes, timestampDelta: number, offsetDelta: fc.nat(), headers }),
        batches,
        (record, context: BatchContext) => {
          const buffer = bytesOf(record as PlainRecord);
          expect(decodePlainRecord({ buffer, offset: 0 }, context)).toEqual(decodeByKafkajs(buffer, context));
        },
      ),
      { numRuns: 200 },
    );
  });
});
