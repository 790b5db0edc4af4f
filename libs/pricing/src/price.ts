import type { AppliedPrice, Pictures, Searches, Usage } from '@tollgate/contracts';
import { pictureUnits, searchUnits } from './call-prices.js';
import { type Exact, exact, plus, times, toNumber } from './exact.js';
import { KindPrices, toUnits } from './kind-prices.js';

/** Upper bound of what a request may use. */
export interface UsageBound extends PromptBound {
  /** Tokens of all its answers, including reasoning. */
  outputTokens: number;
}

/** Upper bound of a prompt's tokens, by the kinds that may be priced differently. */
export interface PromptBound {
  textTokens: number;
  /** Tokens of pictures and other visual input. */
  imageTokens: number;
  audioTokens: number;
  /** The request asks for a one-hour cache, so the whole prompt may be written to it. */
  hourCache?: boolean;
  /** Pictures requested; with `byTokens` they may be charged by their tokens. */
  pictures?: Pictures;
  /** The largest number of searches that the upstream may make. */
  searches?: Searches;
}

/**
 * Price of writing to a one-hour cache relative to a five-minute cache: Anthropic charges 2 times the input price for the former and 1.25
 * times for the latter.
 */
export const HOUR_CACHE_FACTOR = 1.6;

/** A fixed price per call takes precedence over ratios; −1 means there is none. */
export const isPerCall = (price: AppliedPrice): boolean => price.modelPrice >= 0;

/**
 * What a request costs, in units: a safe integer, never negative. Computed with exact decimals and rounded once at the end, to a whole
 * unit, halves away from zero, and to at least 1 unit if something was used at a price above zero. No usage costs nothing, also per call; a
 * call that has no tokens by nature (a picture, a task) states its units as `inputTokens`. Tokens of a kind without its own ratio cost as
 * much as plain tokens of the same direction.
 */
export function rate(usage: Usage, price: AppliedPrice): number {
  const counts = countsOf(usage);
  if (isNothing(counts)) return 0;
  const quota = atLeastOne(unitsOf(usage, counts, price), price);
  if (quota > Number.MAX_SAFE_INTEGER) throw new RangeError('quota exceeds the safe integers');
  return quota;
}

/**
 * The quota to hold before a request is sent: an upper bound of `rate` for every usage within the bound. Every prompt token is therefore
 * priced as the most expensive kind it may turn out to be (a cache write may cost more than plain input), and every completion token as the
 * most expensive completion kind. In units, cut to the largest safe integer, which no wallet covers.
 */
export function holdFor(bound: UsageBound, price: AppliedPrice): number {
  return Math.min(atLeastOne(boundUnits(bound, price), price), Number.MAX_SAFE_INTEGER);
}

/** Whether pictures are charged by their number instead of by tokens. */
export const isPerPicture = (pictures: Pictures, price: AppliedPrice): boolean =>
  isPerCall(price) || pictures.byTokens !== true;

function unitsOf({ pictures, searches }: Usage, counts: Record<UsageKind, number>, price: AppliedPrice): number {
  if (pictures && isPerPicture(pictures, price)) return toUnits(pictureUnits(price, pictures));
  const compiled = compiledPrice(price);
  if (!searches) return 'call' in compiled ? compiled.call : compiled.rated.unitsOf(counts);
  const own = 'call' in compiled ? compiled.exactly : compiled.rated.exactly(counts);
  return toUnits(plus(own, searchUnits(price, searches)));
}

/**
 * The most units that a request within the bound costs. For pictures, the more expensive way of charging counts, because the upstream may
 * or may not state tokens.
 */
function boundUnits(bound: UsageBound, price: AppliedPrice): number {
  const { pictures, searches } = bound;
  const ofPictures = pictures ? toUnits(pictureUnits(price, pictures)) : 0;
  if (pictures && isPerPicture(pictures, price)) return ofPictures;
  const compiled = compiledPrice(price);
  const own = 'call' in compiled ? compiled.call : boundPrices(compiled, bound).unitsOf(boundCounts(bound));
  // This rounds a second time, so the bound may be one unit higher than necessary.
  const ofSearches = searches ? toUnits(searchUnits(price, searches)) + 1 : 0;
  return Math.max(own + ofSearches, ofPictures);
}

/**
 * The most completion tokens that `units` pay for in addition to the prompt; the inverse of `holdFor`. Infinity if the length of the answer
 * does not affect the cost, −1 if the prompt alone costs more.
 */
export function outputTokensFor(units: number, prompt: PromptBound, price: AppliedPrice): number {
  const covers = (outputTokens: number): boolean => holdFor({ ...prompt, outputTokens }, price) <= units;
  if (!covers(0)) return -1;
  if (covers(MOST_TOKENS)) return Infinity;
  let [most, tooMany] = [0, MOST_TOKENS];
  while (tooMany - most > 1) {
    const middle = Math.floor((most + tooMany) / 2);
    if (covers(middle)) most = middle;
    else tooMany = middle;
  }
  return most;
}

/** An upper bound for the search; no request has that many output tokens. */
const MOST_TOKENS = 2 ** 40;

/** A price prepared for calculation. It is cached, because prices are immutable and every request needs it three times. */
type CompiledPrice = CallPrice | TokenPrice;

interface CallPrice {
  /** Units before and after rounding. */
  exactly: Exact;
  call: number;
}

interface TokenPrice {
  rated: KindPrices<UsageKind>;
  /** Every token at the most expensive kind it may turn out to be. */
  held: KindPrices<BoundKind>;
  /** As `held`, for a prompt that asks for a one-hour cache. */
  heldForHour: KindPrices<BoundKind>;
}

const one = exact(1);
const known = new WeakMap<AppliedPrice, CompiledPrice>();

function compiledPrice(price: AppliedPrice): CompiledPrice {
  let found = known.get(price);
  if (!found) known.set(price, (found = isPerCall(price) ? callPrice(price) : tokenPrice(price)));
  return found;
}

/** Converts USD per call to units. */
function callPrice(price: AppliedPrice): CallPrice {
  const exactly = times(exact(price.modelPrice), exact(price.quotaPerUnit), exact(price.groupRatio));
  return { exactly, call: toUnits(exactly) };
}

/** Units per token: the ratio of its kind times the ratios of model and group. */
function tokenPrice(price: AppliedPrice): TokenPrice {
  const multiplier = times(exact(price.modelRatio), exact(price.groupRatio));
  const ratios = ratiosOf(price);
  const { cacheRead, cacheWrite, cacheWriteHour, image, audio, output, audioOutput } = ratios;
  const dearestOutput = largest(one, output, audioOutput);
  const held = (input: Exact): KindPrices<BoundKind> => {
    const media = { image: largest(input, image), audio: largest(input, audio) };
    return new KindPrices({ text: input, ...media, output: dearestOutput }, multiplier);
  };
  const dearestInput = largest(one, cacheRead, cacheWrite);
  return {
    rated: new KindPrices(ratios, multiplier),
    held: held(dearestInput),
    heldForHour: held(largest(dearestInput, cacheWriteHour)),
  };
}

const boundPrices = ({ held, heldForHour }: TokenPrice, { hourCache = false }: UsageBound): KindPrices<BoundKind> =>
  hourCache ? heldForHour : held;

type UsageKind = keyof ReturnType<typeof countsOf>;
type BoundKind = keyof ReturnType<typeof boundCounts>;

/** Token counts by the kinds that can have their own ratios. */
export function countsOf(usage: Usage) {
  const hourTokens = Math.min(usage.cacheWriteHourTokens ?? 0, usage.cacheWriteTokens);
  return {
    input: usage.inputTokens,
    cacheRead: usage.cacheReadTokens,
    cacheWrite: usage.cacheWriteTokens - hourTokens,
    cacheWriteHour: hourTokens,
    image: usage.imageInputTokens ?? 0,
    audio: usage.audioInputTokens ?? 0,
    output: usage.outputTokens,
    audioOutput: usage.audioOutputTokens ?? 0,
  };
}

const isNothing = (counts: Record<UsageKind, number>): boolean => !Object.values(counts).some((count) => count > 0);

/** Whether no tokens of any kind were used, so that `rate` is 0 at every price. */
export const usesNothing = (usage: Usage): boolean => isNothing(countsOf(usage));

/** Exact units for each kind, neither added up nor rounded. */
export function exactRatesOf(usage: Usage, price: AppliedPrice) {
  const counts = countsOf(usage);
  const ratios = ratiosOf(price);
  const multiplier = times(exact(price.modelRatio), exact(price.groupRatio));
  return (Object.keys(counts) as UsageKind[]).map((kind) => ({
    kind,
    count: counts[kind],
    ratio: toNumber(ratios[kind]),
    units: times(exact(counts[kind]), ratios[kind], multiplier),
  }));
}

const boundCounts = (bound: UsageBound) => ({
  text: bound.textTokens,
  image: bound.imageTokens,
  audio: bound.audioTokens,
  output: bound.outputTokens,
});

const ratiosOf = (price: AppliedPrice): Record<UsageKind, Exact> => ({
  input: one,
  cacheRead: exact(price.cacheRatio),
  cacheWrite: exact(price.cacheCreationRatio),
  cacheWriteHour: times(exact(price.cacheCreationRatio), exact(HOUR_CACHE_FACTOR)),
  image: exact(price.imageRatio ?? 1),
  audio: exact(price.audioRatio ?? 1),
  output: exact(price.completionRatio),
  audioOutput: audioOutputRatio(price),
});

function audioOutputRatio(price: AppliedPrice): Exact {
  if (price.audioRatio === undefined) return exact(price.completionRatio);
  return times(exact(price.audioRatio), exact(price.audioCompletionRatio ?? 1));
}

function largest(first: Exact, ...others: Exact[]): Exact {
  return others.reduce((most, other) => (plus(other, times(most, exact(-1))).digits > 0n ? other : most), first);
}

/**
 * The units that the usage log shows for a test of a channel, which nobody is charged for. It is the documented number, which differs from
 * `rate`: no group, no cache discount, completion tokens rounded separately, and at least 1 unit at a ratio above zero. Without usage only
 * a price per call is known.
 */
export function testUnits(
  tokens: { prompt: number; completion: number } | undefined,
  price: AppliedPrice | undefined,
): number {
  if (!price) return 0;
  if (isPerCall(price)) return safe(toUnits(times(exact(price.modelPrice), exact(price.quotaPerUnit))));
  if (!tokens) return 0;
  const completion = toUnits(times(exact(tokens.completion), exact(price.completionRatio)));
  const weighed = exact(safe(tokens.prompt + completion));
  return safe(atLeastOne(toUnits(times(weighed, exact(price.modelRatio))), { ...price, groupRatio: 1 }));
}

const safe = (units: number): number => Math.min(units, Number.MAX_SAFE_INTEGER);

/** Raises a charge to one unit unless the price is zero. */
function atLeastOne(units: number, price: AppliedPrice): number {
  const ratio = isPerCall(price) ? price.modelPrice : price.modelRatio;
  return units === 0 && ratio > 0 && price.groupRatio > 0 ? 1 : units;
}
