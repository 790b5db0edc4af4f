import { arrayOf, type Json, type JsonObject, lengthOf, objectOf, textOf } from '@tollgate/providers';
import { LEAST_MEDIA } from './media-tokens.js';

/** The most that the media of a prompt count for, as far as their bytes or their kind tell. */
export interface MediaBound {
  imageTokens: number;
  audioTokens: number;
  /** Characters of the body that are no text. */
  inlined: number;
  /** Some stand elsewhere, and nobody here knows how long they are: an upstream may count more of them than is held. */
  isRemote: boolean;
  /** Some of those are heard. */
  isHeard: boolean;
}

const noMedia: MediaBound = { imageTokens: 0, audioTokens: 0, inlined: 0, isRemote: false, isHeard: false };

const plus = (a: MediaBound, b: MediaBound): MediaBound => ({
  imageTokens: a.imageTokens + b.imageTokens,
  audioTokens: a.audioTokens + b.audioTokens,
  inlined: a.inlined + b.inlined,
  isRemote: a.isRemote || b.isRemote,
  isHeard: a.isHeard || b.isHeard,
});

/** What is given by address has no bytes to go by: what is held for it, and what most of them count for at most. */
const REMOTE_TOKENS = { audio: 20_000, video: 80_000, document: 200_000 };
/** A spoken answer that is named by its id: a minute and a half, at the 20 tokens a second of OpenAI's models. */
const EARLIER_ANSWER_TOKENS = 2000;
/** 32 tokens a second, and no format needs less than 1 000 bytes for one, written as base64. */
const AUDIO_BYTES_PER_TOKEN = 32;
const VIDEO_BYTES_PER_TOKEN = 16;
/** Its pages count as pictures besides their text, and text may be packed. */
const DOCUMENT_TOKENS = 10_000;

type Kind = 'image' | 'audio' | 'video' | 'document';

/** A content part that is not text: where its data or its address stands. */
const sources: Readonly<Record<string, (part: JsonObject) => { kind: Kind; value: Json | undefined }>> = {
  image_url: ({ image_url: url }) => ({ kind: 'image', value: objectOf(url).url ?? url }),
  input_image: ({ image_url: url }) => ({ kind: 'image', value: objectOf(url).url ?? url }),
  image: ({ source, image }) => ({ kind: 'image', value: objectOf(source).data ?? image }),
  input_audio: ({ input_audio: audio }) => ({ kind: 'audio', value: objectOf(audio).data }),
  audio_url: ({ audio_url: url }) => ({ kind: 'audio', value: objectOf(url).url ?? url }),
  video_url: ({ video_url: url }) => ({ kind: 'video', value: objectOf(url).url ?? url }),
  video: ({ video }) => ({ kind: 'video', value: video }),
  file: ({ file }) => ({ kind: 'document', value: objectOf(file).file_data }),
  input_file: ({ file_data: data }) => ({ kind: 'document', value: data }),
  document: ({ source }) => ({ kind: 'document', value: objectOf(source).data }),
};

/** Only parts of a message's content are media, and what it names that was said before; the same words anywhere else are text to the model. */
export function mediaOf(messages: Json | undefined, imageTokens: number): MediaBound {
  let sum = noMedia;
  const visit = (content: Json | undefined, depth: number): void => {
    if (depth > 3) return;
    for (const item of arrayOf(content)) {
      const part = objectOf(item);
      const found = partBound(part, imageTokens);
      if (found) sum = plus(sum, found);
      // Results of tools and documents made of blocks hold parts of their own.
      visit(part.content ?? objectOf(part.source).content, depth + 1);
    }
  };
  for (const message of arrayOf(messages)) {
    const { content, audio } = objectOf(message);
    visit(content, 0);
    if (textOf(objectOf(audio).id) !== '') sum = plus(sum, earlierAnswer);
  }
  return sum;
}

/** It stands at the upstream, which hears it again. */
const earlierAnswer: MediaBound = {
  ...noMedia,
  audioTokens: EARLIER_ANSWER_TOKENS,
  isRemote: true,
  isHeard: true,
};

/** Pictures among the texts that are to be embedded, as data or by address. Some models cut them into so many tiles that each counts as for several. */
export function embeddedMedia(input: Json | undefined, imageTokens: number): MediaBound {
  let sum = noMedia;
  for (const item of arrayOf(input)) {
    const { image, image_url: url } = objectOf(item);
    const picture = image ?? url;
    if (picture === undefined || picture === null) continue;
    const inlined = inlinedIn(objectOf(picture).url ?? picture);
    sum = plus(sum, { ...noMedia, imageTokens, inlined, isRemote: true });
  }
  return sum;
}

function partBound(part: JsonObject, imageTokens: number): MediaBound | undefined {
  const name = textOf(part.type);
  const source = Object.hasOwn(sources, name) ? sources[name]?.(part) : undefined;
  if (!source) return undefined;
  const style = objectOf(part.source).type;
  if (name === 'document' && (style === 'text' || style === 'content')) return undefined;
  if (Array.isArray(source.value)) return framesBound(source.value, imageTokens);
  return boundOfKind(source.kind, inlinedIn(source.value), imageTokens);
}

/** A video as a list of pictures. */
const framesBound = (frames: Json[], imageTokens: number): MediaBound => ({
  ...noMedia,
  imageTokens: frames.length * imageTokens,
  inlined: frames.reduce<number>((sum, frame) => sum + inlinedIn(frame), 0),
});

/** Characters of data; 0: an address, or nothing at all. */
function inlinedIn(value: Json | undefined): number {
  const text = textOf(value);
  return /^https?:/i.test(text) ? 0 : lengthOf(text);
}

function boundOfKind(kind: Kind, inlined: number, imageTokens: number): MediaBound {
  // A picture counts for no more than its model takes of one, wherever it stands.
  if (kind === 'image') return { ...noMedia, imageTokens, inlined };
  if (inlined > 0) return { ...noMedia, ...dataBound(kind, inlined, imageTokens), inlined };
  const held = REMOTE_TOKENS[kind];
  if (kind === 'audio') return { ...noMedia, audioTokens: held, isRemote: true, isHeard: true };
  return { ...noMedia, imageTokens: held, isRemote: true, isHeard: kind === 'video' };
}

function dataBound(kind: Exclude<Kind, 'image'>, inlined: number, imageTokens: number): Partial<MediaBound> {
  if (kind === 'audio') return { audioTokens: Math.max(LEAST_MEDIA.sound, Math.ceil(inlined / AUDIO_BYTES_PER_TOKEN)) };
  if (kind === 'video')
    return { imageTokens: Math.max(LEAST_MEDIA.film, imageTokens + Math.ceil(inlined / VIDEO_BYTES_PER_TOKEN)) };
  return { imageTokens: Math.max(inlined, DOCUMENT_TOKENS) };
}
