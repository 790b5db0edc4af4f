const UTF_16 = [
  ['utf-16le', 0xff, 0xfe],
  ['utf-16be', 0xfe, 0xff],
] as const;

/**
 * Decodes a file as spreadsheets save it: UTF-8, UTF-16 with a byte order mark, or else the legacy encoding of Chinese
 * systems.
 */
export function textOfBytes(bytes: Uint8Array): string {
  const marked = UTF_16.find(([, first, second]) => bytes[0] === first && bytes[1] === second);
  if (marked) return new TextDecoder(marked[0]).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('gb18030').decode(bytes);
  }
}
