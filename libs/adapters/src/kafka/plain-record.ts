import { createRequire } from 'node:module';

/** A record as kafkajs 2.2.4 is given it. */
export interface PlainRecord {
  offsetDelta?: number;
  timestampDelta?: number;
  key: string | Buffer | null;
  value: string | Buffer | null;
  headers?: Record<string, unknown>;
}

/** The type that kafkajs expects as the result of encoding a record. */
interface Encoded {
  readonly buf: Buffer;
  readonly buffer: Buffer;
}

type EncodeRecord = (record: PlainRecord) => Encoded;

const require = createRequire(import.meta.url);
const PLACE = require.resolve('kafkajs/src/protocol/recordBatch/record/v0/index.js');
export const encodeByKafkajs = require(PLACE) as EncodeRecord;

/** Larger ones take more than 32 bits when they are encoded. */
const MOST = 2 ** 30;
const headersByObject = new WeakMap<Readonly<Record<string, unknown>>, Buffer>();

/** Of a whole number from 0 to `MOST`, in zigzag. */
const sizeOf = (value: number): number =>
  value < 2 ** 6 ? 1 : value < 2 ** 13 ? 2 : value < 2 ** 20 ? 3 : value < 2 ** 27 ? 4 : 5;

function put(target: Buffer, at: number, value: number): number {
  let left = value * 2;
  let to = at;
  for (; left >= 0x80; to += 1) {
    target[to] = (left % 0x80) + 0x80;
    left = Math.floor(left / 0x80);
  }
  target[to] = left;
  return to + 1;
}

/** All records of a topic have the same object of headers, whose bytes are worked out once; undefined for headers that are no plain texts. */
function headerBytes(headers: Readonly<Record<string, unknown>>): Buffer | undefined {
  const known = headersByObject.get(headers);
  if (known) return known;
  const entries = Object.entries(headers);
  if (!entries.every(([, value]) => typeof value === 'string')) return undefined;
  const parts = entries.flat().map((text) => Buffer.from(text as string));
  const bytes = Buffer.alloc(
    sizeOf(entries.length) + parts.reduce((sum, { length }) => sum + sizeOf(length) + length, 0),
  );
  let at = put(bytes, 0, entries.length);
  for (const part of parts) at = put(bytes, at, part.length) + part.copy(bytes, put(bytes, at, part.length));
  headersByObject.set(headers, bytes);
  return bytes;
}

/**
 * Produces the same bytes as kafkajs, in one buffer of the exact size: kafkajs fills a kilobyte with zeros for the record and for each
 * header, grows it twice, and copies it. Anything but a plain record of texts is left to kafkajs.
 */
export function encodePlainRecord(record: PlainRecord): Encoded {
  const { offsetDelta = 0, timestampDelta = 0, key, value, headers = {} } = record;
  const isPlain = typeof key === 'string' && typeof value === 'string' && timestampDelta >= 0 && timestampDelta < MOST;
  const head = isPlain ? headerBytes(headers) : undefined;
  if (!isPlain || !head) return encodeByKafkajs(record);
  const keySize = Buffer.byteLength(key);
  const valueSize = Buffer.byteLength(value);
  const body =
    1 +
    sizeOf(timestampDelta) +
    sizeOf(offsetDelta) +
    sizeOf(keySize) +
    keySize +
    sizeOf(valueSize) +
    valueSize +
    head.length;
  const buffer = Buffer.allocUnsafe(sizeOf(body) + body);
  let at = put(buffer, 0, body);
  buffer[at] = 0; // attributes, of which there are none
  at = put(buffer, put(buffer, at + 1, timestampDelta), offsetDelta);
  at = put(buffer, at, keySize);
  at = put(buffer, at + buffer.write(key, at, 'utf8'), valueSize);
  head.copy(buffer, at + buffer.write(value, at, 'utf8'));
  return { buf: buffer, buffer };
}

/** Makes every producer of this process use this encoder. Call before the first one sends, because kafkajs looks the function up once. */
export function encodePlainly(): void {
  const module = require.cache[PLACE];
  if (module) module.exports = encodePlainRecord;
}
