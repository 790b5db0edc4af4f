const BASE64 = /^[A-Za-z0-9+/=_-]*$/;
/** Characters tested at once: longer ones exhaust the stack of a regular expression. */
const STEP = 65_536;

/** Part of a text, of which the bytes are ASCII if it is in bytes. */
export const sliceOf = (text: string | Buffer, start: number, end: number): string =>
  typeof text === 'string' ? text.slice(start, end) : text.toString('latin1', start, end);

/** Whether this part of the text consists of base64 only. A text that merely begins like base64 is none. */
export function isBase64(text: string | Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += STEP)
    if (!BASE64.test(sliceOf(text, at, Math.min(at + STEP, end)))) return false;
  return true;
}
