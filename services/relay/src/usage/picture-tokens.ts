import { type Json, headOf } from '@tollgate/providers';
import { type PictureSize, pictureSize } from './picture-size.js';

/** How the pictures of a request are counted. */
export interface PictureRules {
  /** The upstream's name of the model. */
  model: string;
  /** Whether the size of a picture is read from its data. */
  looks: boolean;
  /** If set, the tokens of each picture regardless of its size. */
  flat?: number;
}

/** OpenAI's tokens for a picture with `detail: low`. */
const GLANCE = 85;
const GLM_4V = 1047;
/** A picture is divided into tiles of this many pixels after its shorter side was scaled down to `SHORT_SIDE`. */
const TILE = 512;
const SHORT_SIDE = 768;
/** A long side of 2048 beside a short one of 768: OpenAI scales pictures down to that, and the hold covers no more. */
const MOST_TILES = 8;
/** Tiles of a picture of unknown size: a square of a thousand pixels. */
const USUAL_TILES = 4;

/** https://platform.openai.com/docs/guides/images-vision, for models that divide pictures into tiles. */
const pricesOf = (model: string): { base: number; tile: number } =>
  model.startsWith('gpt-4o-mini') ? { base: 2833, tile: 5667 } : { base: GLANCE, tile: 170 };

function tilesOf({ width, height }: PictureSize): number {
  const short = Math.min(width, height);
  const scale = Math.max(1, short / SHORT_SIDE);
  const tiles = (side: number): number => Math.ceil(Math.ceil(side / scale) / TILE);
  return Math.min(MOST_TILES, tiles(width) * tiles(height));
}

/** The size comes from the data itself; the prefix of a data URL only names the file type. */
const sizeOf = (data: Json | undefined): PictureSize | undefined =>
  typeof data === 'string' && !/^https?:/i.test(data)
    ? pictureSize(Buffer.from(headOf(data).replace(/^data:[^,]*,/, ''), 'base64'))
    : undefined;

/**
 * Tokens of a picture for models that divide pictures into tiles. `data` is base64 with or without the prefix of a data
 * URL, or a URL.
 */
export function pictureTokensOf(data: Json | undefined, detail: Json | undefined, rules: PictureRules): number {
  if (rules.model === 'glm-4v') return GLM_4V;
  if (detail === 'low') return GLANCE;
  if (rules.flat !== undefined) return rules.flat;
  const { base, tile } = pricesOf(rules.model);
  if (!rules.looks) return 3 * base;
  const size = sizeOf(data);
  return base + (size ? tilesOf(size) : USUAL_TILES) * tile;
}
