import { arrayOf, type Json, type JsonObject, lengthOf, objectOf, textOf } from '@tollgate/providers';
import { picturesOfAnswer, shownLength } from './picture-texts.js';
import { LEAST_MEDIA } from './media-tokens.js';

/** Upper bound for the tokens of a prompt's media, by their size or kind. */
export interface MediaBound {
  imageTokens: number;
  audioTokens: number;
  /** Characters of the body that are media data rather than text. */
  inlined: number;
  /** Characters of pictures in texts of earlier answers, which are media data where no channel sends them as text. */
  shown: number;
  /** Some media are given by URL or id, so their length is unknown: an upstream may count more of them than is held. */
  isRemote: boolean;
  /** Some of the remote media contain sound. */
  isHeard: boolean;
}

const noMedia: MediaBound = { imageTokens: 0, audioTokens: 0, inlined: 0, shown: 0, isRemote: false, isHeard: false };

const plus = (a: MediaBound, b: MediaBound): MediaBound => ({
  imageTokens: a.imageTokens + b.imageTokens,
  audioTokens: a.audioTokens + b.audioTokens,
  inlined: a.inlined + b.inlined,
  shown: a.shown + b.shown,
  isRemote: a.isRemote || b.isRemote,
  isHeard: a.isHeard || b.isHeard,
});

/** Tokens held for media given by URL, whose size is unknown; most of them count for no more. */
const REMOTE_TOKENS = { audio: 20_000, video: 80_000, document: 200_000 };
/**
 * Tokens of an earlier spoken answer that is given by its id: a minute and a half at 20 tokens a second, as OpenAI's
 * models count.
 */
const EARLIER_ANSWER_TOKENS = 2000;
/** Sound counts for 32 tokens a second, and no format takes less than 1 000 base64 characters for a second. */
const AUDIO_BYTES_PER_TOKEN = 32;
const VIDEO_BYTES_PER_TOKEN = 16;
/** Pages of a document count as pictures in addition to their text, and the text may be compressed. */
const DOCUMENT_TOKENS = 10_000;

type Kind = 'image' | 'audio' | 'video' | 'document';

/** For each type of content part that is not text: its kind, and its data or URL. */
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

/**
 * The bound for the media of messages. Only content parts, and references to earlier spoken answers, are media; the
 * same words elsewhere are text to the model.
 */
export function mediaOf(messages: Json | undefined, imageTokens: number): MediaBound {
  let sum = noMedia;
  const visit = (content: Json | undefined, depth: number): void => {
    if (depth > 3) return;
    for (const item of arrayOf(content)) {
      const part = objectOf(item);
      const found = partBound(part, imageTokens);
      if (found) sum = plus(sum, found);
      // Tool results, and documents made of blocks, contain parts of their own.
      visit(part.content ?? objectOf(part.source).content, depth + 1);
    }
  };
  for (const message of arrayOf(messages)) {
    const { content, audio } = objectOf(message);
    visit(content, 0);
    const pictures = picturesOfAnswer(objectOf(message));
    // Channels of another dialect send them as pictures, others as text; so they are held as both unless all convert.
    if (pictures > 0)
      sum = plus(sum, { ...noMedia, imageTokens: pictures * imageTokens, shown: shownLength(objectOf(message)) });
    if (textOf(objectOf(audio).id) !== '') sum = plus(sum, earlierAnswer);
  }
  return sum;
}

/** The bound for an earlier spoken answer, which is stored at the upstream and read again as sound. */
const earlierAnswer: MediaBound = {
  ...noMedia,
  audioTokens: EARLIER_ANSWER_TOKENS,
  isRemote: true,
  isHeard: true,
};

/**
 * The bound for pictures among texts to be embedded, given as data or by URL. Some models divide them into so many
 * tiles that one counts for several pictures.
 */
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

/** The bound for a video given as a list of pictures. */
const framesBound = (frames: Json[], imageTokens: number): MediaBound => ({
  ...noMedia,
  imageTokens: frames.length * imageTokens,
  inlined: frames.reduce<number>((sum, frame) => sum + inlinedIn(frame), 0),
});

/** Characters of inlined data; 0 for a URL or no value. */
function inlinedIn(value: Json | undefined): number {
  const text = textOf(value);
  return /^https?:/i.test(text) ? 0 : lengthOf(text);
}

function boundOfKind(kind: Kind, inlined: number, imageTokens: number): MediaBound {
  // A picture counts for at most the model's tokens per picture, wherever it is stored.
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
