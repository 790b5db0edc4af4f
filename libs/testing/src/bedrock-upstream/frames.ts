import { crc32 } from 'node:zlib';

const STRING = 7;

function headerOf(name: string, value: string): Buffer {
  const text = Buffer.from(value);
  const size = Buffer.alloc(3);
  size.writeUInt8(STRING, 0);
  size.writeUInt16BE(text.length, 1);
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), size, text]);
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** A message of AWS's event stream encoding, with its two checksums. */
export function awsMessage(headers: Readonly<Record<string, string>>, payload: Buffer): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => headerOf(name, value)));
  const prelude = Buffer.concat([number(head.length + payload.length + 16), number(head.length)]);
  const body = Buffer.concat([prelude, number(crc32(prelude)), head, payload]);
  return Buffer.concat([body, number(crc32(body))]);
}

/** An Anthropic event as Bedrock streams it: base64 inside JSON, padded to hide its length. */
export const awsChunk = (event: string): Buffer =>
  awsMessage(
    { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' },
    Buffer.from(JSON.stringify({ bytes: Buffer.from(event).toString('base64'), p: 'abcdefghij' })),
  );

/** An exception message, which ends a stream. */
export const awsException = (type: string, message: string): Buffer =>
  awsMessage(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    Buffer.from(JSON.stringify({ message })),
  );
