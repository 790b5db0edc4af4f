export { builtInCompletion, type BuiltInCompletion } from './completion-rules.js';
export { abbreviated, type QuotaDisplay, quotaLabel, quotaLogText, quotaText, quotaToUsd } from './format.js';
export { imagePrice, type ImageRequest } from './image-price.js';
export { consumptionContent, taskContent } from './log-content.js';
export { holdFor, isPerCall, rate, type Rating, type RatingLine, type RequestBound } from './price.js';
export { completionRatioOf, isPriced, pricedName, priceFor, UNSET_MODEL_RATIO } from './ratio-book.js';
