import { crc32 } from 'node:zlib';

/**
 * `open` is written before the first byte reaches the client, `progress` while a stream runs, `close` before the last
 * byte.
 */
export const FrameKind = { open: 1, progress: 2, close: 3 } as const;
export type FrameKind = (typeof FrameKind)[keyof typeof FrameKind];

export interface Frame {
  kind: FrameKind;
  payload: string;
  /** Position of the frame in its segment. */
  offset: number;
  size: number;
}

const HEADER = 9;

/** u32 length of the payload, u32 crc32 of kind and payload, u8 kind, payload in UTF-8; little-endian. */
export function encodeFrame(kind: FrameKind, payload: string): Buffer {
  const size = Buffer.byteLength(payload);
  const frame = Buffer.allocUnsafe(HEADER + size);
  frame.writeUInt32LE(size, 0);
  frame.writeUInt8(kind, 8);
  frame.write(payload, HEADER, 'utf8');
  frame.writeUInt32LE(crc32(frame.subarray(8)), 4);
  return frame;
}

/** The complete frames of a segment; reading ends at a torn or damaged frame. */
export function decodeFrames(bytes: Buffer): { frames: Frame[]; validBytes: number } {
  const frames: Frame[] = [];
  let at = 0;
  while (at + HEADER <= bytes.length) {
    const end = at + HEADER + bytes.readUInt32LE(at);
    if (end > bytes.length || crc32(bytes.subarray(at + 8, end)) !== bytes.readUInt32LE(at + 4)) break;
    const kind = bytes.readUInt8(at + 8);
    if (kind !== FrameKind.open && kind !== FrameKind.progress && kind !== FrameKind.close) break;
    frames.push({ kind, payload: bytes.toString('utf8', at + HEADER, end), offset: at, size: end - at });
    at = end;
  }
  return { frames, validBytes: at };
}
