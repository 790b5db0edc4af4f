import { type Json, headOf } from '@tollgate/providers';
import { type PictureSize, pictureSize } from './picture-size.js';

/** How the pictures of a request are counted. */
export interface PictureRules {
  /** The upstream's name of it. */
  model: string;
  /** Whether the size of a picture is looked at. */
  looks: boolean;
  /** What each counts for, however large it is. */
  flat?: number;
}

/** OpenAI's price of a picture it is told not to look at closely. */
const GLANCE = 85;
const GLM_4V = 1047;
/** A picture shows in tiles of so many pixels, after its shorter side was brought down to what the model sees. */
const TILE = 512;
const SHORT_SIDE = 768;
/** A long side of 2048 beside a short one of 768: OpenAI sees no more, and no more is held. */
const MOST_TILES = 8;
/** Of a picture whose size nobody here knows: a square of a thousand pixels. */
const USUAL_TILES = 4;

/** https://platform.openai.com/docs/guides/images-vision, for models that see in tiles. */
const pricesOf = (model: string): { base: number; tile: number } =>
  model.startsWith('gpt-4o-mini') ? { base: 2833, tile: 5667 } : { base: GLANCE, tile: 170 };

function tilesOf({ width, height }: PictureSize): number {
  const short = Math.min(width, height);
  const scale = Math.max(1, short / SHORT_SIDE);
  const tiles = (side: number): number => Math.ceil(Math.ceil(side / scale) / TILE);
  return Math.min(MOST_TILES, tiles(width) * tiles(height));
}

/** What stands before the data says what the file is, not more. */
const sizeOf = (data: Json | undefined): PictureSize | undefined =>
  typeof data === 'string' && !/^https?:/i.test(data)
    ? pictureSize(Buffer.from(headOf(data).replace(/^data:[^,]*,/, ''), 'base64'))
    : undefined;

/** Tokens of a picture for the models that see in tiles; `data` is base64 with or without its head, or an address. */
export function pictureTokensOf(data: Json | undefined, detail: Json | undefined, rules: PictureRules): number {
  if (rules.model === 'glm-4v') return GLM_4V;
  if (detail === 'low') return GLANCE;
  if (rules.flat !== undefined) return rules.flat;
  const { base, tile } = pricesOf(rules.model);
  if (!rules.looks) return 3 * base;
  const size = sizeOf(data);
  return base + (size ? tilesOf(size) : USUAL_TILES) * tile;
}
