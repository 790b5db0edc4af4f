import { PICTURE } from '../media.js';
import type { Native, NativeReply } from './native.js';

/** Any number of pictures that somebody may fetch; one has moved, and one is none. */
export const picture: Native = ({ method, url, origin }): NativeReply | undefined => {
  if (method !== 'GET' || !url.pathname.startsWith('/pictures/')) return undefined;
  const isMoved = url.pathname.endsWith('/moved.png');
  if (isMoved) return { status: 302, json: {}, headers: { location: `${origin}/pictures/here.png` } };
  const type = url.pathname.endsWith('.txt') ? 'text/plain' : 'image/png';
  return { status: 200, json: {}, bytes: Buffer.from(PICTURE, 'base64'), headers: { 'content-type': type } };
};
