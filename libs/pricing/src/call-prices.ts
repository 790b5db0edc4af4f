import type { AppliedPrice, Pictures, Searches } from '@tollgate/contracts';
import { type Exact, exact, plus, times } from './exact.js';

const sizeFactors: Record<string, number> = {
  '256x256': 0.4,
  '512x512': 0.45,
  '1024x1792': 2,
  '1792x1024': 2,
};

/** USD per picture and unit of model ratio, for a model that has a ratio but no price. */
const PRICE_PER_RATIO = 0.0025;
const PER_THOUSAND = exact(0.001);

/**
 * Units for pictures that are not charged by tokens: the price per call, or its equivalent for models with a ratio, times size, quality and
 * number.
 */
export function pictureUnits(price: AppliedPrice, { size, quality, count }: Pictures): Exact {
  const { modelPrice, modelRatio } = price;
  const base = modelPrice >= 0 ? exact(modelPrice) : times(exact(modelRatio), exact(PRICE_PER_RATIO));
  const sizeFactor = sizeFactorOf(size);
  const hdFactor = sizeFactor === 2 ? 1.5 : 2;
  const qualityFactor = price.hdPictures && quality === 'hd' ? hdFactor : 1;
  return inUnits(times(base, exact(sizeFactor), exact(qualityFactor), exact(count)), price);
}

/** Units for searches, charged in addition to tokens or a price per call. */
export function searchUnits(
  price: AppliedPrice,
  { web = 0, webContext = 'medium', file = 0, google = 0 }: Searches,
): Exact {
  const ofWeb = times(exact(price.webSearch?.[webContext] ?? 0), exact(web));
  const ofFiles = times(exact(price.fileSearch ?? 0), exact(file));
  const ofGoogle = times(exact(price.googleSearch ?? 0), exact(google));
  return inUnits(times(plus(plus(ofWeb, ofFiles), ofGoogle), PER_THOUSAND), price);
}

const inUnits = (usd: Exact, { quotaPerUnit, groupRatio }: AppliedPrice): Exact =>
  times(usd, exact(quotaPerUnit), exact(groupRatio));

/** Sizes come from clients, so only own properties of the table may be found. */
const sizeFactorOf = (size: string): number => (Object.hasOwn(sizeFactors, size) ? (sizeFactors[size] ?? 1) : 1);
