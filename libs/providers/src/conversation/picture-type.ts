const HEADS: readonly (readonly [type: string, head: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
];
/** Enough bytes to match every head. */
const HEAD_BYTES = 12;

/**
 * The type of a picture by its first bytes, because clients and servers often state another one, which upstreams refuse. For bytes of no
 * known kind it is the stated type.
 */
export function pictureType(bytes: Buffer, stated: string): string {
  const head = bytes.toString('latin1', 0, HEAD_BYTES);
  const found = HEADS.find(([, pattern]) => pattern.test(head))?.[0];
  return found ?? (stated === 'image/jpg' ? 'image/jpeg' : stated);
}

/** As `pictureType`, for a picture in base64. */
export const encodedPictureType = (data: string, stated: string): string =>
  pictureType(Buffer.from(data.slice(0, 2 * HEAD_BYTES), 'base64'), stated);
