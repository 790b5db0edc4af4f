/** Width and height in pixels. */
export interface PictureSize {
  width: number;
  height: number;
}

const JPEG_START = 0xffd8;
const MARKER = 0xff;
/** Markers of a JPEG frame are in this range, except for three markers of tables. */
const FRAMES = { first: 0xc0, last: 0xcf, tables: new Set([0xc4, 0xc8, 0xcc]) };

function jpegSize(bytes: Buffer): PictureSize | undefined {
  let at = 2;
  while (at + 9 <= bytes.length) {
    const kind = bytes[at + 1] ?? 0;
    if (bytes[at] !== MARKER) return undefined;
    if (kind >= FRAMES.first && kind <= FRAMES.last && !FRAMES.tables.has(kind))
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function webpSize(bytes: Buffer): PictureSize | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const packed = bytes.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

function sizeIn(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 30) return undefined;
  if (bytes.readUInt16BE(0) === JPEG_START) return jpegSize(bytes);
  const head = bytes.toString('latin1', 0, 12);
  if (head.startsWith('\x89PNG')) return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (head.startsWith('GIF8')) return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? webpSize(bytes) : undefined;
}

/** The size in the header of a PNG, JPEG, GIF or WebP; `undefined` where there is none or it is invalid. */
export function pictureSize(bytes: Buffer): PictureSize | undefined {
  const size = sizeIn(bytes);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}
