const HEADS: readonly (readonly [type: string, head: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
];
/** Enough bytes to match every head. */
const HEAD_BYTES = 12;

function knownType(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, HEAD_BYTES);
  return HEADS.find(([, pattern]) => pattern.test(head))?.[0];
}

const headOf = (data: string): Buffer => Buffer.from(data.slice(0, 2 * HEAD_BYTES), 'base64');

/** Whether this base64 begins as a picture of a kind that upstreams take. */
export const isEncodedPicture = (data: string): boolean => knownType(headOf(data)) !== undefined;

/**
 * The type of a picture by its first bytes, because clients and servers often state another one, which upstreams refuse. For bytes of no
 * known kind it is the stated type.
 */
export const pictureType = (bytes: Buffer, stated: string): string =>
  knownType(bytes) ?? (stated === 'image/jpg' ? 'image/jpeg' : stated);

/** As `pictureType`, for a picture in base64. */
export const encodedPictureType = (data: string, stated: string): string => pictureType(headOf(data), stated);
