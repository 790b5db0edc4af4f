import type { AppliedPrice, Usage } from '@tollgate/contracts';
import { type Exact, exact, plus, rounded, times } from './exact.js';
import { type WholePrice, wholePrice, wholeUnits } from './whole-numbers.js';

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
}

/** What writing to a cache of an hour costs against one of five minutes: Anthropic asks 2 times the input for it, and 1.25 times. */
export const HOUR_CACHE_FACTOR = 1.6;

/** A fixed price per call wins over ratios; −1 says there is none. */
export const isPerCall = (price: AppliedPrice): boolean => price.modelPrice >= 0;

/**
 * What a request costs, in units: a safe integer, never negative. The only place where an amount is rounded: exact decimals
 * throughout, then once to a whole unit, halves away from zero, and at least 1 unit when something was used at a price above
 * zero. No usage costs nothing, also per call; a call that has no tokens by nature (a picture, a task) states its units as
 * `inputTokens`.
 * Tokens of a kind without its own ratio cost as much as plain ones of their side.
 */
export function rate(usage: Usage, price: AppliedPrice): number {
  const exactly = exactPrice(price);
  const quick = exactly.rated && quickRate(usage, exactly.rated, price);
  if (quick !== undefined) return quick;
  const terms = exactly.perCall ? callTerms(usage, exactly) : tokenTerms(usage, exactly);
  const used = terms.filter(({ units }) => units > 0);
  if (used.length === 0) return 0;
  const quota = toUnits(times(used.map(amountOf).reduce(plus), exactly.multiplier), price);
  if (quota > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError(`quota exceeds the safe integers: ${quota}`);
  return Number(quota);
}

/**
 * What must be set aside before a request is sent: an upper bound of `rate` for every usage within the bound. So every prompt token is
 * taken at the dearest kind it may turn out to be (a cache write may cost more than plain input) and every completion token at the dearest
 * completion kind. Units; a hold beyond the safe integers is cut to the largest one, which no wallet covers.
 */
export function holdFor(bound: UsageBound, price: AppliedPrice): number {
  const terms = exactPrice(price);
  const quick = terms.held && !bound.hourCache ? wholeUnits(heldUnits(bound), terms.held) : undefined;
  if (quick !== undefined) return atLeastOne(quick, price);
  const quota = toUnits(times(terms.perCall ? terms.callPrice : boundTerms(bound, terms), terms.multiplier), price);
  return quota > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(quota);
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

function boundTerms(bound: UsageBound, price: ExactPrice): Exact {
  const { textTokens, imageTokens, audioTokens, outputTokens, hourCache = false } = bound;
  const dearestInput = hourCache ? largest(price.dearestInput, price.cacheWriteHour) : price.dearestInput;
  const { imageInput, audioInput, dearestOutput } = price;
  const terms: [number, Exact][] = [
    [textTokens, dearestInput],
    [imageTokens, largest(dearestInput, imageInput)],
    [audioTokens, largest(dearestInput, audioInput)],
    [outputTokens, dearestOutput],
  ];
  return terms.flatMap(([tokens, ratio]) => (tokens > 0 ? times(exact(tokens), ratio) : [])).reduce(plus, exact(0));
}

/** What a price is worth in exact decimals, worked out once: prices are immutable, and a request asks three times. */
interface ExactPrice {
  perCall: boolean;
  callPrice: Exact;
  /** What the sum of the terms is multiplied by: USD per call become units, tokens become units by the model's ratio. */
  multiplier: Exact;
  cacheRead: Exact;
  cacheWrite: Exact;
  cacheWriteHour: Exact;
  imageInput: Exact;
  audioInput: Exact;
  output: Exact;
  audioOutput: Exact;
  /** The dearest kind of each side; of a prompt that asks for no cache of an hour. */
  dearestInput: Exact;
  dearestOutput: Exact;
  /** In plain numbers, for `rate` and for a `holdFor` without a cache of an hour; absent where they do not fit, and per call. */
  rated?: WholePrice<keyof ReturnType<typeof ratedUnits>> | undefined;
  held?: WholePrice<keyof ReturnType<typeof heldUnits>> | undefined;
}

const one = exact(1);
const known = new WeakMap<AppliedPrice, ExactPrice>();

function exactPrice(price: AppliedPrice): ExactPrice {
  let found = known.get(price);
  if (!found) known.set(price, (found = toExactPrice(price)));
  return found;
}

function toExactPrice(price: AppliedPrice): ExactPrice {
  const exactly = exactRatios(price);
  if (exactly.perCall) return exactly;
  const { multiplier, cacheRead, cacheWrite, cacheWriteHour, output, audioOutput, dearestInput, dearestOutput } =
    exactly;
  const rated = { input: one, cacheRead, cacheWrite, cacheWriteHour, output, audioOutput };
  const held = { text: dearestInput, output: dearestOutput };
  const media = { image: exactly.imageInput, audio: exactly.audioInput };
  const dearestMedia = {
    image: largest(dearestInput, exactly.imageInput),
    audio: largest(dearestInput, exactly.audioInput),
  };
  return {
    ...exactly,
    rated: wholePrice({ ...rated, ...media }, multiplier),
    held: wholePrice({ ...held, ...dearestMedia }, multiplier),
  };
}

/** Of what was written to a cache, what is kept for an hour. */
const hourTokensOf = (usage: Usage): number => Math.min(usage.cacheWriteHourTokens ?? 0, usage.cacheWriteTokens);

/** What `rate` multiplies, by kind. */
const ratedUnits = (usage: Usage) => ({
  input: usage.inputTokens,
  cacheRead: usage.cacheReadTokens,
  cacheWrite: usage.cacheWriteTokens - hourTokensOf(usage),
  cacheWriteHour: hourTokensOf(usage),
  image: usage.imageInputTokens ?? 0,
  audio: usage.audioInputTokens ?? 0,
  output: usage.outputTokens,
  audioOutput: usage.audioOutputTokens ?? 0,
});

/** What `holdFor` multiplies, by kind. */
const heldUnits = (bound: UsageBound) => ({
  text: bound.textTokens,
  image: bound.imageTokens,
  audio: bound.audioTokens,
  output: bound.outputTokens,
});

function quickRate(usage: Usage, price: NonNullable<ExactPrice['rated']>, applied: AppliedPrice): number | undefined {
  const counts = ratedUnits(usage);
  const units = wholeUnits(counts, price);
  if (units === undefined || units > 0) return units;
  return Object.values(counts).some((count) => count > 0) ? atLeastOne(units, applied) : 0;
}

function exactRatios(price: AppliedPrice): ExactPrice {
  const perCall = isPerCall(price);
  const output = exact(price.completionRatio);
  const audioOutput = audioOutputRatio(price);
  return {
    perCall,
    callPrice: exact(price.modelPrice),
    multiplier: times(exact(perCall ? price.quotaPerUnit : price.modelRatio), exact(price.groupRatio)),
    cacheRead: exact(price.cacheRatio),
    cacheWrite: exact(price.cacheCreationRatio),
    cacheWriteHour: times(exact(price.cacheCreationRatio), exact(HOUR_CACHE_FACTOR)),
    imageInput: exact(price.imageRatio ?? 1),
    audioInput: exact(price.audioRatio ?? 1),
    output,
    audioOutput,
    dearestInput: exact(Math.max(1, price.cacheRatio, price.cacheCreationRatio)),
    dearestOutput: largest(one, output, audioOutput),
  };
}

/** One term of the price: units × ratio, before the model and group ratios. */
interface Term {
  units: number;
  ratio: Exact;
}

function tokenTerms(usage: Usage, price: ExactPrice): Term[] {
  const { imageInputTokens = 0, audioInputTokens = 0, audioOutputTokens = 0 } = usage;
  const hourTokens = hourTokensOf(usage);
  return [
    { units: usage.inputTokens, ratio: one },
    { units: usage.cacheReadTokens, ratio: price.cacheRead },
    { units: usage.cacheWriteTokens - hourTokens, ratio: price.cacheWrite },
    { units: hourTokens, ratio: price.cacheWriteHour },
    { units: imageInputTokens, ratio: price.imageInput },
    { units: audioInputTokens, ratio: price.audioInput },
    { units: usage.outputTokens, ratio: price.output },
    { units: audioOutputTokens, ratio: price.audioOutput },
  ];
}

function callTerms(usage: Usage, { callPrice }: ExactPrice): Term[] {
  return [{ units: hasUsage(usage) ? 1 : 0, ratio: callPrice }];
}

function hasUsage(usage: Usage): boolean {
  const { imageInputTokens = 0, audioInputTokens = 0, audioOutputTokens = 0 } = usage;
  const media = imageInputTokens + audioInputTokens + audioOutputTokens;
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens + media > 0;
}

const amountOf = ({ units, ratio }: Term): Exact => times(exact(units), ratio);

function audioOutputRatio(price: AppliedPrice): Exact {
  if (price.audioRatio === undefined) return exact(price.completionRatio);
  return times(exact(price.audioRatio), exact(price.audioCompletionRatio ?? 1));
}

function largest(first: Exact, ...others: Exact[]): Exact {
  return others.reduce((most, other) => (plus(other, times(most, exact(-1))).digits > 0n ? other : most), first);
}

/** A whole number of units, and at least one unless the price itself is zero. */
function toUnits(amount: Exact, price: AppliedPrice): bigint {
  const units = rounded(amount);
  return units === 0n ? BigInt(atLeastOne(0, price)) : units;
}

function atLeastOne(units: number, price: AppliedPrice): number {
  const ratio = isPerCall(price) ? price.modelPrice : price.modelRatio;
  return units === 0 && ratio > 0 && price.groupRatio > 0 ? 1 : units;
}
