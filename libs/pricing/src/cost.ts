import type { AppliedPrice, Usage } from '@tollgate/contracts';
import type { CostTerms } from '@tollgate/contracts/api/cost';
import { searchUnits } from './call-prices.js';
import { exact, plus, times } from './exact.js';
import { KindPrices, toUnits } from './kind-prices.js';
import { countsOf, HOUR_CACHE_FACTOR, isPerPicture, rate } from './price.js';

/** Converts USD per million tokens to USD per token. */
const PER_MILLION = exact(0.000001);

/** The cost terms of a channel's provider, and what they refer to. */
interface CostBasis {
  terms: CostTerms;
  /** The list price under which the request was sold; `undefined` if no price covers the model. */
  list: AppliedPrice | undefined;
  /** Units per USD. */
  quotaPerUnit: number;
}

/**
 * What a request cost its operator, in units, rounded once like a charge. `undefined` if the terms do not determine it: a share of an
 * unknown list price, or token prices for pictures that were counted by number.
 */
export function costOf(usage: Usage, { terms, list, quotaPerUnit }: CostBasis): number | undefined {
  if ('ratio' in terms) return list && rate(usage, { ...list, groupRatio: terms.ratio });
  if ('call' in terms) return rate(usage, perCall(terms.call, { list, quotaPerUnit }));
  return byTokens(usage, terms, { list, quotaPerUnit });
}

const perCall = (usd: number, { list, quotaPerUnit }: Omit<CostBasis, 'terms'>): AppliedPrice => ({
  ...{ modelRatio: 0, completionRatio: 0, cacheRatio: 0, cacheCreationRatio: 0, groupRatio: 1 },
  ...(list && { webSearch: list.webSearch, fileSearch: list.fileSearch, googleSearch: list.googleSearch }),
  ...(list && { hdPictures: list.hdPictures }),
  modelPrice: usd,
  quotaPerUnit,
});

function byTokens(
  usage: Usage,
  terms: Extract<CostTerms, { input: number }>,
  { list, quotaPerUnit }: Omit<CostBasis, 'terms'>,
): number | undefined {
  const { pictures, searches } = usage;
  const base = list ?? perCall(0, { list, quotaPerUnit });
  if (pictures && isPerPicture(pictures, { ...base, modelPrice: -1 })) return undefined;
  if (searches && !list) return undefined;
  const counts = countsOf(usage);
  const prices = new KindPrices(pricesOf(terms), times(exact(quotaPerUnit), PER_MILLION));
  if (!searches) return atLeastOne(prices.unitsOf(counts), prices.exactly(counts).digits);
  const exactly = plus(prices.exactly(counts), searchUnits({ ...base, groupRatio: 1, quotaPerUnit }, searches));
  return atLeastOne(toUnits(exactly), exactly.digits);
}

/** A kind without its own price costs as much as plain tokens of the same direction. */
function pricesOf(terms: Extract<CostTerms, { input: number }>) {
  const { input, output, cache_read: cacheRead = input, cache_write: cacheWrite = input } = terms;
  const { audio_input: audio = input, audio_output: audioOutput = output } = terms;
  return {
    input: exact(input),
    cacheRead: exact(cacheRead),
    cacheWrite: exact(cacheWrite),
    cacheWriteHour: times(exact(cacheWrite), exact(HOUR_CACHE_FACTOR)),
    image: exact(input),
    audio: exact(audio),
    output: exact(output),
    audioOutput: exact(audioOutput),
  };
}

/** Rounds a cost like a charge: a cost above zero is at least one unit. */
const atLeastOne = (units: number, digits: bigint): number => {
  if (units > Number.MAX_SAFE_INTEGER) throw new RangeError('cost exceeds the safe integers');
  return units === 0 && digits > 0n ? 1 : units;
};
