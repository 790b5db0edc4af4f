import { createRequire } from 'node:module';

/** What kafkajs 2.2.4 knows of all records of a batch. */
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
export interface PlainMessage {
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
/** The length of what is not there. */
const NOTHING = -1;

/** Behind the number that was read last. */
let behind = 0;

/** A whole number in zigzag; one of more than 49 bits is no number here. */
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

/** Nearly all records have the same ones, which are made once. */
function headersOf(buffer: Buffer, at: number, context: BatchContext): object {
  const bytes = buffer.subarray(at);
  if (headerBytes.length === 0 || !headerBytes.equals(bytes)) {
    // A copy: what is kept here must not keep all that came with it.
    const copy = Buffer.from(buffer);
    headers = decodeByKafkajs(copy, context).headers;
    headerBytes = copy.subarray(at);
  }
  return headers;
}

/**
 * The same message as kafkajs makes of a record: kafkajs makes objects for each header, and numbers of two halves for place and time. What is too
 * large for a plain number is left to kafkajs.
 */
export function decodePlainRecord({ buffer }: Bytes, context: BatchContext): PlainMessage {
  if (context !== known) {
    known = context;
    firstOffset = Number(context.firstOffset);
    firstTimestamp = Number(context.firstTimestamp);
  }
  const time = firstTimestamp + numberAt(buffer, 1);
  const offset = firstOffset + numberAt(buffer, behind);
  // Also of the first: a sum may be small where it was rounded.
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
