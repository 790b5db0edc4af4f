import { createRequire } from 'node:module';

/** Fields that are common to all records of a batch in kafkajs 2.2.4. */
export interface BatchContext {
  firstOffset: string;
  firstTimestamp: string;
  maxTimestamp: string;
  magicByte: number;
  isControlBatch: boolean;
  /** 1: the time of the batch is that of each record. */
  timestampType: number;
}

/** As kafkajs hands a message on. */
interface PlainMessage {
  magicByte: number;
  attributes: number;
  timestamp: string;
  offset: string;
  key: Buffer | null;
  value: Buffer | null;
  headers: object;
  isControlRecord: boolean;
  batchContext: BatchContext;
}

/** What is left of kafkajs' decoder: the bytes of one record, from their first. */
interface Bytes {
  buffer: Buffer;
  offset: number;
}

type DecodeRecord = (bytes: Bytes, context: BatchContext) => PlainMessage;

const require = createRequire(import.meta.url);
const PLACE = require.resolve('kafkajs/src/protocol/recordBatch/record/v0/decoder.js');
const decoderClass = require('kafkajs/src/protocol/decoder.js') as new (buffer: Buffer) => Bytes;
const decode = require(PLACE) as DecodeRecord;
export const decodeByKafkajs = (buffer: Buffer, context: BatchContext): PlainMessage =>
  decode(new decoderClass(buffer), context);

const LOG_APPEND_TIME = 1;
/** Encoded length of a null value. */
const NOTHING = -1;

/** Position behind the number read last. */
let behind = 0;

/** Reads a zigzag varint; NaN if it has more than 49 bits. */
function numberAt(buffer: Buffer, at: number): number {
  let value = 0;
  let place = 1;
  let next = at;
  for (let byte = 0x80; byte >= 0x80; place *= 0x80) {
    if (place > 2 ** 42) return Number.NaN;
    byte = buffer[next] ?? 0;
    value += (byte & 0x7f) * place;
    next += 1;
  }
  behind = next;
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function bytesAt(buffer: Buffer, at: number): Buffer | null {
  const length = numberAt(buffer, at);
  if (length === NOTHING) return null;
  const from = behind;
  behind += length;
  return buffer.subarray(from, behind);
}

let known: BatchContext | undefined;
let firstOffset = 0;
let firstTimestamp = 0;

let headerBytes = Buffer.alloc(0);
let headers: object = {};

/** Parses headers once for all records with the same bytes, as nearly all have the same headers. */
function headersOf(buffer: Buffer, at: number, context: BatchContext): object {
  const bytes = buffer.subarray(at);
  if (headerBytes.length === 0 || !headerBytes.equals(bytes)) {
    // Copied, so that the cache does not keep the whole batch in memory.
    const copy = Buffer.from(buffer);
    headers = decodeByKafkajs(copy, context).headers;
    headerBytes = copy.subarray(at);
  }
  return headers;
}

/**
 * Builds the same message as kafkajs, but faster: kafkajs creates objects for each header and 64-bit number objects for offset and time.
 * Records with numbers beyond the safe integers are left to kafkajs.
 */
export function decodePlainRecord({ buffer }: Bytes, context: BatchContext): PlainMessage {
  if (context !== known) {
    known = context;
    firstOffset = Number(context.firstOffset);
    firstTimestamp = Number(context.firstTimestamp);
  }
  const time = firstTimestamp + numberAt(buffer, 1);
  const offset = firstOffset + numberAt(buffer, behind);
  // The first values are checked too: a sum may be a safe integer although one of them was rounded.
  if (![firstTimestamp, time, firstOffset, offset].every(Number.isSafeInteger)) return decodeByKafkajs(buffer, context);
  const key = bytesAt(buffer, behind);
  const value = bytesAt(buffer, behind);
  const isOfBatch = context.timestampType === LOG_APPEND_TIME && context.maxTimestamp !== '';
  return {
    magicByte: context.magicByte,
    attributes: buffer.readInt8(0),
    timestamp: isOfBatch ? context.maxTimestamp : String(time),
    offset: String(offset),
    key,
    value,
    headers: headersOf(buffer, behind, context),
    isControlRecord: context.isControlBatch,
    batchContext: context,
  };
}

/** Has every consumer of this process decode so. To be called before the first one reads: kafkajs looks the function up once. */
export function decodePlainly(): void {
  const module = require.cache[PLACE];
  if (module) module.exports = decodePlainRecord;
}
