import { PICTURE } from '../media.js';
import type { Native, NativeReply } from './native.js';

const LARGE = 1.5 * 1024 * 1024;

/** Pictures to download by URL; one redirects, one is large, and one is no picture. */
export const picture: Native = ({ method, url, origin }): NativeReply | undefined => {
  if (method !== 'GET' || !url.pathname.startsWith('/pictures/')) return undefined;
  const isMoved = url.pathname.endsWith('/moved.png');
  if (isMoved) return { status: 302, json: {}, headers: { location: `${origin}/pictures/here.png` } };
  const type = url.pathname.endsWith('.txt') ? 'text/plain' : 'image/png';
  const own = Buffer.from(PICTURE, 'base64');
  const bytes = url.pathname.endsWith('/large.png') ? Buffer.concat([own, Buffer.alloc(LARGE)]) : own;
  return { status: 200, json: {}, bytes, headers: { 'content-type': type } };
};
