import type { AppliedPrice, Pictures, Searches, Usage } from '@tollgate/contracts';
import { pictureUnits, searchUnits } from './call-prices.js';
import { type Exact, exact, plus, times, toNumber } from './exact.js';
import { KindPrices, toUnits } from './kind-prices.js';

/** The most a request may use. */
export interface UsageBound extends PromptBound {
  /** Tokens of all its answers, reasoning included. */
  outputTokens: number;
}

/** The most tokens of a prompt, by what their prices may depend on. */
export interface PromptBound {
  textTokens: number;
  /** Pictures, and whatever else a model looks at. */
  imageTokens: number;
  audioTokens: number;
  /** The request asks for a cache that is kept for an hour, so all of the prompt may be written to it. */
  hourCache?: boolean;
  /** Pictures that are asked for; `byTokens`: their tokens may be what counts. */
  pictures?: Pictures;
  /** The most searches that the upstream may make. */
  searches?: Searches;
}

/** What writing to a cache of an hour costs against one of five minutes: Anthropic asks 2 times the input for it, and 1.25 times. */
export const HOUR_CACHE_FACTOR = 1.6;

/** A fixed price per call wins over ratios; −1 says there is none. */
export const isPerCall = (price: AppliedPrice): boolean => price.modelPrice >= 0;

/**
 * What a request costs, in units: a safe integer, never negative. The only place where an amount is rounded: exact decimals
 * throughout, then once to a whole unit, halves away from zero, and at least 1 unit when something was used at a price above zero. No usage costs nothing, also per call; a call
 * that has no tokens by nature (a picture, a task) states its units as `inputTokens`.
 * Tokens of a kind without its own ratio cost as much as plain ones of their side.
 */
export function rate(usage: Usage, price: AppliedPrice): number {
  const counts = countsOf(usage);
  if (!Object.values(counts).some((count) => count > 0)) return 0;
  const quota = atLeastOne(unitsOf(usage, counts, price), price);
  if (quota > Number.MAX_SAFE_INTEGER) throw new RangeError('quota exceeds the safe integers');
  return quota;
}

/**
 * What must be set aside before a request is sent: an upper bound of `rate` for every usage within the bound. So every prompt token is
 * taken at the dearest kind it may turn out to be (a cache write may cost more than plain input) and every completion token at the dearest
 * completion kind. Units; a hold beyond the safe integers is cut to the largest one, which no wallet covers.
 */
export function holdFor(bound: UsageBound, price: AppliedPrice): number {
  return Math.min(atLeastOne(boundUnits(bound, price), price), Number.MAX_SAFE_INTEGER);
}

/** Whether pictures are charged by their number, and not by tokens. */
export const isPerPicture = (pictures: Pictures, price: AppliedPrice): boolean =>
  isPerCall(price) || pictures.byTokens !== true;

function unitsOf({ pictures, searches }: Usage, counts: Record<UsageKind, number>, price: AppliedPrice): number {
  if (pictures && isPerPicture(pictures, price)) return toUnits(pictureUnits(price, pictures));
  const compiled = compiledPrice(price);
  if (!searches) return 'call' in compiled ? compiled.call : compiled.rated.unitsOf(counts);
  const own = 'call' in compiled ? compiled.exactly : compiled.rated.exactly(counts);
  return toUnits(plus(own, searchUnits(price, searches)));
}

/** The most units that a request within the bound costs; for pictures the dearer way to charge them, because an upstream may state tokens or not. */
function boundUnits(bound: UsageBound, price: AppliedPrice): number {
  const { pictures, searches } = bound;
  const ofPictures = pictures ? toUnits(pictureUnits(price, pictures)) : 0;
  if (pictures && isPerPicture(pictures, price)) return ofPictures;
  const compiled = compiledPrice(price);
  const own = 'call' in compiled ? compiled.call : boundPrices(compiled, bound).unitsOf(boundCounts(bound));
  // Two roundings, each upwards at most: a bound may be a unit more.
  const ofSearches = searches ? toUnits(searchUnits(price, searches)) + 1 : 0;
  return Math.max(own + ofSearches, ofPictures);
}

/**
 * The most completion tokens that `units` pay for beside the prompt, the inverse of `holdFor`: Infinity where an answer costs nothing more
 * however long it is, and −1 where the prompt alone costs more.
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

/** More than any answers of a request have. */
const MOST_TOKENS = 2 ** 40;

/** What a price is worth, worked out once: prices are immutable, and a request asks three times. */
type CompiledPrice = CallPrice | TokenPrice;

interface CallPrice {
  /** Units, before and after they are rounded. */
  exactly: Exact;
  call: number;
}

interface TokenPrice {
  rated: KindPrices<UsageKind>;
  /** The dearest kind that tokens may turn out to be. */
  held: KindPrices<BoundKind>;
  /** The same for a prompt that asks for a cache of an hour. */
  heldForHour: KindPrices<BoundKind>;
}

const one = exact(1);
const known = new WeakMap<AppliedPrice, CompiledPrice>();

function compiledPrice(price: AppliedPrice): CompiledPrice {
  let found = known.get(price);
  if (!found) known.set(price, (found = isPerCall(price) ? callPrice(price) : tokenPrice(price)));
  return found;
}

/** USD per call become units. */
function callPrice(price: AppliedPrice): CallPrice {
  const exactly = times(exact(price.modelPrice), exact(price.quotaPerUnit), exact(price.groupRatio));
  return { exactly, call: toUnits(exactly) };
}

/** Tokens become units by the ratio of their kind, then by those of the model and the group. */
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

/** Tokens by the kinds that have ratios of their own. */
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

/** What tokens of each kind are worth, before they are added up and rounded. */
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
 * What the usage log shows for a test of a channel, for which nobody pays. It is the documented number and not `rate`'s: no group, no cheaper
 * caches, completion tokens rounded by themselves, and at least 1 unit at a ratio above zero. Without usage only a price per call is known.
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

/** Raises a charge to one unit, unless the price itself is zero. */
function atLeastOne(units: number, price: AppliedPrice): number {
  const ratio = isPerCall(price) ? price.modelPrice : price.modelRatio;
  return units === 0 && ratio > 0 && price.groupRatio > 0 ? 1 : units;
}
