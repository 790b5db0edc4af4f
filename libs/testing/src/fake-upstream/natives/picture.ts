import { PICTURE } from '../media.js';
import type { Native, NativeReply } from './native.js';

const MB = 1024 * 1024;
/** Bytes behind the picture, by the name of its file. */
const PADDINGS: Readonly<Record<string, number>> = { 'large.png': 1.5 * MB, 'half.png': Math.floor(0.45 * MB) };

const typeOf = (path: string): string => {
  if (path.endsWith('.txt')) return 'text/plain';
  return path.endsWith('.bin') ? 'binary/octet-stream' : 'image/png';
};

/** Pictures to download by URL; one redirects, one is large and one half as large as a limit of 1 MB, one comes without its type, and one is no picture. */
export const picture: Native = ({ method, url, origin }): NativeReply | undefined => {
  if (method !== 'GET' || !url.pathname.startsWith('/pictures/')) return undefined;
  const isMoved = url.pathname.endsWith('/moved.png');
  if (isMoved) return { status: 302, json: {}, headers: { location: `${origin}/pictures/here.png` } };
  const type = typeOf(url.pathname);
  const own = type === 'text/plain' ? Buffer.from('no picture') : Buffer.from(PICTURE, 'base64');
  const padding = PADDINGS[url.pathname.split('/').at(-1) ?? ''] ?? 0;
  const bytes = padding > 0 ? Buffer.concat([own, Buffer.alloc(padding)]) : own;
  return { status: 200, json: {}, bytes, headers: { 'content-type': type } };
};
