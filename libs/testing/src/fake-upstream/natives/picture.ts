import { PICTURE } from '../media.js';
import type { Native, NativeReply } from './native.js';

const LARGE = 1.5 * 1024 * 1024;

const typeOf = (path: string): string => {
  if (path.endsWith('.txt')) return 'text/plain';
  return path.endsWith('.bin') ? 'binary/octet-stream' : 'image/png';
};

/** Pictures to download by URL; one redirects, one is large, one comes without its type, and one is no picture. */
export const picture: Native = ({ method, url, origin }): NativeReply | undefined => {
  if (method !== 'GET' || !url.pathname.startsWith('/pictures/')) return undefined;
  const isMoved = url.pathname.endsWith('/moved.png');
  if (isMoved) return { status: 302, json: {}, headers: { location: `${origin}/pictures/here.png` } };
  const type = typeOf(url.pathname);
  const own = type === 'text/plain' ? Buffer.from('no picture') : Buffer.from(PICTURE, 'base64');
  const bytes = url.pathname.endsWith('/large.png') ? Buffer.concat([own, Buffer.alloc(LARGE)]) : own;
  return { status: 200, json: {}, bytes, headers: { 'content-type': type } };
};
