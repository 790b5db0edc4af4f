export { builtInCompletion, type BuiltInCompletion } from './completion-rules.js';
export {
  abbreviated,
  type QuotaDisplay,
  quotaDisplayOf,
  quotaLabel,
  quotaLogText,
  quotaText,
  quotaToUsd,
} from './format.js';
export { type CostBasis, costOf } from './cost.js';
export { consumptionContent, statesSoundRatios, soundRatios } from './log-content.js';
export { type ModelLimits, modelLimits, UNKNOWN_MODEL } from './model-limits.js';
export {
  holdFor,
  HOUR_CACHE_FACTOR,
  isPerCall,
  isPerPicture,
  outputTokensFor,
  type PromptBound,
  rate,
  testUnits,
  type UsageBound,
  usesNothing,
} from './price.js';
export { PriceCache } from './price-cache.js';
export { type Rating, type RatingKind, type RatingLine, ratingOf } from './rating-lines.js';
export {
  completionRatioOf,
  freeOf,
  isPriced,
  pricedName,
  priceFor,
  UNSET_MODEL_RATIO,
  userGroupRatioOf,
} from './ratio-book.js';
