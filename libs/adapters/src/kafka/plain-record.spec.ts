import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeByKafkajs, encodePlainRecord, type PlainRecord } from './plain-record.js';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom('', '错'.repeat(3000), 'x'.repeat(9000)),
);
const number = fc.oneof(fc.nat(300), fc.nat(2 ** 31 - 1));
const HEADERS = { 'content-type': 'application/cloudevents+json', 错: '😀'.repeat(70) };

describe('encodePlainRecord', () => {
  it('makes the bytes that kafkajs makes', () => {
    fc.assert(
      fc.property(text, text, number, fc.nat(100_000), (key, value, timestampDelta, offsetDelta) => {
        const record: PlainRecord = { key, value, timestampDelta, offsetDelta, headers: HEADERS };
        expect(Buffer.compare(encodePlainRecord(record).buffer, encodeByKafkajs(record).buffer)).toBe(0);
      }),
    );
  });

  it.each<[string, PlainRecord]>([
    ['without a key', { key: null, value: 'v' }],
    ['of bytes', { key: 'k', value: Buffer.from('v') }],
    ['without headers', { key: 'k', value: 'v' }],
    ['with a header of bytes', { key: 'k', value: 'v', headers: { name: Buffer.from('x') } }],
    ['from before the first one', { key: 'k', value: 'v', timestampDelta: -5 }],
  ])('leaves a record %s as it is', (_, record) => {
    expect(Buffer.compare(encodePlainRecord(record).buffer, encodeByKafkajs(record).buffer)).toBe(0);
  });
});
