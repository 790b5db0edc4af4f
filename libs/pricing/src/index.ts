export { type QuotaDisplay, quotaDisplayOf, quotaLabel, quotaLogText, quotaText, quotaToUsd } from './format.js';
export { costOf } from './cost.js';
export { consumptionContent, statesSoundRatios, soundRatios } from './log-content.js';
export { modelLimits, UNKNOWN_MODEL } from './model-limits.js';
export {
  holdFor,
  HOUR_CACHE_FACTOR,
  isPerCall,
  isPerPicture,
  outputTokensFor,
  type PromptBound,
  rate,
  testUnits,
  usesNothing,
} from './price.js';
export { PriceCache } from './price-cache.js';
export { type RatingKind, ratingOf } from './rating-lines.js';
export { freeOf, isPriced, pricedName, priceFor, userGroupRatioOf } from './ratio-book.js';
