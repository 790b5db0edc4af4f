import { arrayOf, type Json, type JsonObject, lengthOf, objectOf, wordsOf } from '@tollgate/providers';
import { picturesOfAnswer } from './picture-texts.js';
import { type PictureRules, pictureTokensOf } from './picture-tokens.js';

/** Our own estimate of the tokens of a prompt's media. */
interface MediaTokens {
  image: number;
  audio: number;
}

/** Tokens of a picture of about one megapixel: Claude counts 1 300, Gemini 1 030. */
const PICTURE = 1000;
/**
 * Tokens and bytes per second of sound. Models count 10 (OpenAI) to 32 (Gemini) tokens; MP3 takes some 16 000 bytes,
 * WAV 48 000, a third more as base64.
 */
const SOUND_TOKENS = 20;
const SOUND_BYTES: Readonly<Record<string, number>> = { wav: 64_000, pcm16: 64_000 };
const PACKED_SOUND_BYTES = 21_000;
/** The least that a part of a prompt counts for. */
export const LEAST_MEDIA = { sound: 100, pages: 5000, film: 5000 };
/** Estimates for media given by URL, whose length is unknown: half a minute, and a few pages. */
const REMOTE_SOUND = 600;
const REMOTE_FILM = 10_000;
const REMOTE_PAGES = 6000;
const FILM_BYTES_PER_TOKEN = 1000;
const PAGE_BYTES_PER_TOKEN = 25;
/** Claude counts documents by the page, so a document may be as small as one page. */
const LEAST_DOCUMENT = 1500;

/** Characters of inlined data; 0 for a URL or no value. */
const sizeOf = (value: Json | undefined): number =>
  typeof value === 'string' && !/^https?:/i.test(value) ? lengthOf(value) : 0;

const picture = (image: number): MediaTokens => ({ image, audio: 0 });

function sound(size: number, format: Json | undefined): MediaTokens {
  const bytesPerSecond = (typeof format === 'string' ? SOUND_BYTES[format] : undefined) ?? PACKED_SOUND_BYTES;
  const tokens = size > 0 ? Math.ceil((size / bytesPerSecond) * SOUND_TOKENS) : REMOTE_SOUND;
  return { image: 0, audio: Math.max(LEAST_MEDIA.sound, tokens) };
}

const film = (size: number): MediaTokens => ({
  image: size > 0 ? Math.max(LEAST_MEDIA.film, PICTURE + Math.ceil(size / FILM_BYTES_PER_TOKEN)) : REMOTE_FILM,
  audio: 0,
});

const pages = (size: number, least = LEAST_MEDIA.pages): MediaTokens => ({
  image: size > 0 ? Math.max(least, Math.ceil(size / PAGE_BYTES_PER_TOKEN)) : REMOTE_PAGES,
  audio: 0,
});

const kinds: Readonly<Record<string, (part: JsonObject, rules: PictureRules) => MediaTokens>> = {
  image_url: ({ image_url: url, detail }, rules) =>
    picture(pictureTokensOf(objectOf(url).url ?? url, objectOf(url).detail ?? detail, rules)),
  input_image: ({ image_url: url, detail }, rules) => picture(pictureTokensOf(url, detail, rules)),
  // Pictures of Claude and Gemini requests are not counted in tiles.
  image: () => picture(PICTURE),
  input_audio: ({ input_audio: audio }) => sound(sizeOf(objectOf(audio).data), objectOf(audio).format),
  audio_url: () => sound(0, undefined),
  video_url: ({ video_url: url }) => film(sizeOf(objectOf(url).url ?? url)),
  video: ({ video }) => film(sizeOf(video)),
  file: ({ file }) => pages(sizeOf(objectOf(file).file_data)),
  input_file: ({ file_data: data }) => pages(sizeOf(data)),
  document: ({ source }) => pages(sizeOf(objectOf(source).data), LEAST_DOCUMENT),
};

const none: MediaTokens = { image: 0, audio: 0 };

function tokensOf(part: JsonObject, rules: PictureRules): MediaTokens {
  const style = objectOf(part.source).type;
  if (typeof part.type !== 'string' || style === 'text' || style === 'content') return none;
  return Object.hasOwn(kinds, part.type) ? (kinds[part.type]?.(part, rules) ?? none) : none;
}

/**
 * The media of all messages, including tool results and, if `readsPictureTexts`, pictures in texts of earlier answers.
 * Takes time linear in the number of parts, and reads only the beginning of their data.
 */
export function mediaTokens(json: JsonObject, rules: PictureRules, readsPictureTexts = false): MediaTokens {
  const sum: MediaTokens = { image: 0, audio: 0 };
  const visit = (content: Json | undefined, depth: number): void => {
    if (depth > 3) return;
    for (const item of arrayOf(content)) {
      const part = objectOf(item);
      const { image, audio } = tokensOf(part, rules);
      sum.image += image;
      sum.audio += audio;
      visit(part.content ?? objectOf(part.source).content, depth + 1);
    }
  };
  for (const message of arrayOf(wordsOf(json, 'messages', 0))) {
    const { content, audio } = objectOf(message);
    visit(content, 0);
    if (readsPictureTexts) sum.image += picturesOfAnswer(objectOf(message)) * PICTURE;
    // An earlier spoken answer, given by its id.
    if (typeof objectOf(audio).id === 'string') sum.audio += REMOTE_SOUND;
  }
  return sum;
}
