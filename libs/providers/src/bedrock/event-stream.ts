import { crc32 } from 'node:zlib';
import type { Framing } from '../stream/framing.js';
import { parseObject, textOf } from '../json/json.js';
import { DEFAULT_MAX_EVENT_BYTES } from '../stream/sse.js';
import { anthropicErrorType } from './errors.js';

// A message of AWS's encoding `application/vnd.amazon.eventstream`, all numbers big-endian:
//   total length (4) | length of the headers (4) | CRC-32 of these eight bytes (4) | headers | payload | CRC-32 of all before it (4)
// and a header: length of the name (1) | name | type of the value (1) | value.

const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;
const STRING = 7;
const BYTES = 6;
/** Length of a value by its type; strings and byte arrays state their own length. */
const VALUE_BYTES = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16] as const;
const BROKEN = 'the upstream broke the framing of its event stream';

interface Message {
  headers: Readonly<Record<string, string>>;
  payload: Buffer;
}

/** `undefined` for malformed headers; values that are not strings are skipped. */
function headersIn(bytes: Buffer): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    if (nameEnd >= bytes.length) return undefined;
    const type = bytes.readUInt8(nameEnd);
    const saysLength = type === STRING || type === BYTES;
    if (saysLength && nameEnd + 3 > bytes.length) return undefined;
    const size = saysLength ? bytes.readUInt16BE(nameEnd + 1) : VALUE_BYTES[type];
    const valueStart = nameEnd + (saysLength ? 3 : 1);
    if (size === undefined || valueStart + size > bytes.length) return undefined;
    if (type === STRING)
      headers[bytes.toString('latin1', at + 1, nameEnd)] = bytes.toString('utf8', valueStart, valueStart + size);
    at = valueStart + size;
  }
  return headers;
}

/** `undefined` for a message with a wrong checksum or length. */
function messageIn(bytes: Buffer): Message | undefined {
  const end = bytes.length - CRC_BYTES;
  const payloadStart = PRELUDE_BYTES + bytes.readUInt32BE(4);
  if (payloadStart > end || crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) return undefined;
  const headers = headersIn(bytes.subarray(PRELUDE_BYTES, payloadStart));
  return headers && { headers, payload: bytes.subarray(payloadStart, end) };
}

const sse = (type: string, data: string): Buffer => Buffer.from(`event: ${type}\ndata: ${data}\n\n`);
const errorEvent = (type: string, message: string): Buffer =>
  sse('error', JSON.stringify({ type: 'error', error: { type, message } }));

/** Nearly every event names its type first and is on a single line. */
const TYPED = /^\{"type":"(\w+)"[^\n\r]*$/;

/** An Anthropic event that Bedrock wraps as base64 in JSON; `undefined` for anything else. */
function chunkEvent(payload: Buffer): Buffer | undefined {
  const text = Buffer.from(textOf(parseObject(payload.toString('utf8'))?.bytes), 'base64').toString('utf8');
  const type = TYPED.exec(text)?.[1];
  // Bedrock adds its own metrics to the last event, so that one is parsed and cleaned.
  if (type !== undefined && type !== 'message_stop') return sse(type, text);
  const json = parseObject(text);
  if (!json) return undefined;
  const { 'amazon-bedrock-invocationMetrics': _, ...event } = json;
  return sse(textOf(event.type), JSON.stringify(event));
}

function eventOf({ headers, payload }: Message): Buffer | undefined {
  const kind = headers[':message-type'];
  if (kind === 'event') return headers[':event-type'] === 'chunk' ? chunkEvent(payload) : undefined;
  const name = headers[':exception-type'] ?? headers[':error-code'] ?? '';
  const message = textOf(parseObject(payload.toString('utf8'))?.message) || headers[':error-message'] || name;
  return errorEvent(anthropicErrorType(name), message);
}

/** Converts Bedrock's event stream into the Anthropic events it carries. Broken framing ends the stream with an error event. */
export class AwsEventStream implements Framing {
  private parts: Buffer[] = [];
  private pendingBytes = 0;
  /** Bytes needed before anything can be read. */
  private wanted = PRELUDE_BYTES;
  private isBroken = false;

  constructor(private readonly maxMessageBytes = DEFAULT_MAX_EVENT_BYTES) {}

  get isBetweenEvents(): boolean {
    return this.pendingBytes === 0;
  }

  push(chunk: Buffer): Buffer[] {
    if (this.isBroken) return [];
    this.parts.push(chunk);
    this.pendingBytes += chunk.length;
    return this.pendingBytes < this.wanted ? [] : this.read();
  }

  /** A message that has not arrived completely means that the stream was cut. */
  end(): undefined {
    return undefined;
  }

  private read(): Buffer[] {
    const bytes = this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts);
    const events: Buffer[] = [];
    let at = 0;
    this.wanted = PRELUDE_BYTES;
    while (!this.isBroken && bytes.length - at >= PRELUDE_BYTES) {
      const length = this.lengthOf(bytes, at);
      if (length === undefined) events.push(this.broken());
      else if (at + length > bytes.length) {
        this.wanted = length;
        break;
      } else {
        const event = this.eventAt(bytes.subarray(at, at + length));
        if (event) events.push(event);
        at += length;
      }
    }
    this.parts = at < bytes.length && !this.isBroken ? [bytes.subarray(at)] : [];
    this.pendingBytes = this.isBroken ? 0 : bytes.length - at;
    return events;
  }

  /** Length of the message at `at`; `undefined` when the checksum of its prelude is wrong or the length is implausible. */
  private lengthOf(bytes: Buffer, at: number): number | undefined {
    if (crc32(bytes.subarray(at, at + 8)) !== bytes.readUInt32BE(at + 8)) return undefined;
    const length = bytes.readUInt32BE(at);
    return length >= PRELUDE_BYTES + CRC_BYTES && length <= this.maxMessageBytes ? length : undefined;
  }

  private eventAt(bytes: Buffer): Buffer | undefined {
    const message = messageIn(bytes);
    return message ? eventOf(message) : this.broken();
  }

  private broken(): Buffer {
    this.isBroken = true;
    return errorEvent('api_error', BROKEN);
  }
}
