import type { Conversation, MediaPart, Part } from '../conversation/conversation.js';
import { refusePart } from '../conversation/conversation.js';
import type { AttachedFile } from './multipart.js';

// For upstreams to which files are uploaded separately, and whose requests refer to them by the returned ids.

const ENDINGS: Readonly<Record<string, string>> = {
  ...{ jpeg: 'jpg', 'svg+xml': 'svg', plain: 'txt', mpeg: 'mp3', 'x-wav': 'wav', quicktime: 'mov' },
};

const endingOf = (mimeType: string): string => {
  const subtype = mimeType.split('/')[1] ?? '';
  return ENDINGS[subtype] ?? (/^\w{1,10}$/.test(subtype) ? subtype : 'bin');
};

export const isMedia = (part: Part): part is MediaPart =>
  part.type === 'image' || part.type === 'audio' || part.type === 'video' || part.type === 'file';

const mediaIn = (parts: readonly Part[]): MediaPart[] =>
  parts.flatMap((part) => (part.type === 'tool-result' ? part.content.filter(isMedia) : isMedia(part) ? [part] : []));

/** All media in order. Throws `RequestRejected` for a file referenced by an id of the client's own upstream. */
export function mediaOf({ turns }: Conversation): MediaPart[] {
  const found = turns.flatMap(({ parts }) => mediaIn(parts));
  const known = found.find(({ source }) => 'url' in source && source.url === '');
  if (known) refusePart(known, 'files by file_id are not supported: send them with the request');
  return found;
}

/** Media whose bytes are in the request and must be uploaded first. */
export const inlinedIn = (media: readonly MediaPart[]): MediaPart[] => media.filter(({ source }) => 'data' in source);

export function fileOf({ source, name, type }: MediaPart): AttachedFile {
  if (!('data' in source)) throw new Error('a file that is an address is not uploaded');
  const mimeType = source.mimeType || 'application/octet-stream';
  return { name: name ?? `${type}.${endingOf(mimeType)}`, mimeType, bytes: Buffer.from(source.data, 'base64') };
}
