import type { Pictures } from '@tollgate/contracts';
import type { Json, JsonObject } from '@tollgate/providers';
import type { RequestBound } from './bound.js';

/** The size and quality that the reference system prices where the request names none. */
const USUAL = { size: '1024x1024', quality: 'standard' };
const NO_SIZE = 'empty';
/** Models that never state tokens. */
const WITHOUT_TOKENS = /^dall-e/i;
/** The most tokens of one high-quality picture as OpenAI's models count it, including the previews before it. */
const MOST_TOKENS = 6600;
/** The most tokens of a picture that is read in high detail before it is edited. */
const MOST_TOKENS_OF_SOURCE = 8000;

/** Tokens of a generated picture by quality: of a square, and of any other shape. */
const TOKENS: Readonly<Record<string, readonly [square: number, other: number]>> = {
  low: [272, 408],
  medium: [1056, 1584],
  high: [4160, 6240],
};

const wordOf = (value: Json | undefined, usual: string): string =>
  typeof value === 'string' && value !== '' && value !== NO_SIZE ? value.slice(0, 16) : usual;

/** The requested pictures; in a form all fields are texts. */
function picturesOf({ n, size, quality }: JsonObject): Pictures {
  return {
    count: Math.max(1, Math.trunc(Number(n ?? 1)) || 1),
    size: wordOf(size, USUAL.size),
    quality: wordOf(quality, USUAL.quality),
  };
}

interface PicturesRequest {
  json: JsonObject;
  /** Bytes of the request's texts. */
  size: number;
  models: readonly string[];
  /** Number of pictures in the request. */
  sources?: number;
}

/** The most that a request for pictures can use: by their number, or by tokens where its model may state them. */
export function picturesBound({ json, size, models, sources = 0 }: PicturesRequest): RequestBound {
  const pictures = picturesOf(json);
  const byTokens = !models.every((model) => WITHOUT_TOKENS.test(model));
  const maximum = byTokens ? pictures.count * MOST_TOKENS : 0;
  return {
    prompt: {
      textTokens: size,
      imageTokens: sources * MOST_TOKENS_OF_SOURCE,
      audioTokens: 0,
      pictures: { ...pictures, ...(byTokens && { byTokens }) },
    },
    choices: 1,
    limit: maximum,
    maximum,
    minimum: 0,
    predicted: 0,
  };
}

/** Our own estimate of the tokens of generated pictures, by OpenAI's published numbers. */
export function pictureTokens({ count, size, quality }: Pictures): number {
  const [width, height] = size.split('x');
  const [square, other] = TOKENS[Object.hasOwn(TOKENS, quality) ? quality : 'medium'] ?? [0, 0];
  return count * (width === height ? square : other);
}
