import type { OptionKey } from './option-rows.js';

/** Options of which a price version consists: changing one creates a new version. */
export const PRICING_OPTIONS = [
  'ModelRatio',
  'CompletionRatio',
  'ModelPrice',
  'CacheRatio',
  'ImageRatio',
  'GroupRatio',
  'GroupGroupRatio',
  'QuotaPerUnit',
] as const satisfies readonly OptionKey[];

const isPricingOption = new Set<string>(PRICING_OPTIONS);
export const changesPrices = (key: string): boolean => isPricingOption.has(key);
