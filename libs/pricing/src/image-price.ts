import type { AppliedPrice } from '@tollgate/contracts';
import { exact, times, toNumber } from './exact.js';
import { isPerCall } from './price.js';

export interface ImageRequest {
  model: string;
  /** Width × height as clients write it, e.g. `1024x1792`. */
  size: string;
  quality?: string;
  /** Pictures asked for. */
  count: number;
}

const sizeFactors: Record<string, number> = {
  '256x256': 0.4,
  '512x512': 0.45,
  '1024x1792': 2,
  '1792x1024': 2,
};

/** USD per picture and unit of model ratio, for a model that has a ratio but no price. */
const PRICE_PER_RATIO = 0.0025;

/** The price per call of a request for pictures whose upstream counts no tokens; it stands in for the model's own price. */
export function imagePrice(price: AppliedPrice, { model, size, quality, count }: ImageRequest): AppliedPrice {
  const isLarge = sizeFactorOf(size) === 2;
  const qualityFactor = model === 'dall-e-3' && quality === 'hd' ? (isLarge ? 1.5 : 2) : 1;
  const base = isPerCall(price) ? exact(price.modelPrice) : times(exact(price.modelRatio), exact(PRICE_PER_RATIO));
  const total = times(base, exact(sizeFactorOf(size)), exact(qualityFactor), exact(count));
  return { ...price, modelPrice: toNumber(total) };
}

/** Sizes come from clients, so inherited properties must not be found. */
const sizeFactorOf = (size: string): number => (Object.hasOwn(sizeFactors, size) ? (sizeFactors[size] ?? 1) : 1);
