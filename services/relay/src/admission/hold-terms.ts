import type { AppliedPrice, Usage } from '@tollgate/contracts';
import { holdFor, outputTokensFor, rate } from '@tollgate/pricing';
import type { Hold, HoldRequest } from '../budget/hold.js';
import { fixedUsage } from '../usage/fixed-usage.js';
import { TEMPLATE_TOKENS } from '../usage/plausible.js';
import type { RequestBound } from '../usage/bound.js';

/**
 * How much quota a request is held for, in units. If the client set a limit, that limit is both least and most.
 * Otherwise the most is what the model can generate, and the least is `assumedTokens` (option `PreConsumedQuota`), but
 * at least the smallest limit that an upstream accepts, for every answer. A request that is alone needs only what the
 * reference reserves: `assumedTokens` at the price of the prompt, beside the prompt.
 */
export function holdTerms(
  bound: RequestBound,
  price: AppliedPrice,
  assumedTokens: number,
): Pick<HoldRequest, 'least' | 'leastAlone' | 'most' | 'costOf' | 'fewestTokens' | 'mostOverhead' | 'worstOverhead'> {
  const { choices, limit, maximum, minimum, predicted } = bound;
  const fixed = fixedUsage({ bound, terms: { price } });
  if (fixed) return exactly(rate(fixed, price));
  const costOf = (answers: number): number => holdFor({ ...bound.prompt, outputTokens: answers + predicted }, price);
  const { ownContext = 0, searchTokens = 0, remote } = bound;
  const beside = (tokens: number) => (): number => {
    const textTokens = bound.prompt.textTokens + TEMPLATE_TOKENS + tokens;
    return holdFor({ ...bound.prompt, textTokens, outputTokens: predicted }, price) - costOf(0);
  };
  const mostOverhead = beside(ownContext);
  const worstOverhead = beside(ownContext + searchTokens + (remote?.tokens ?? 0));
  const rest = { costOf, mostOverhead, worstOverhead, fewestTokens: choices * minimum };
  if (limit > 0) return { least: costOf(limit * choices), most: costOf(limit * choices), ...rest };
  const least = costOf(Math.max(rest.fewestTokens, Math.min(assumedTokens, maximum * choices)));
  const reserved = rate({ ...NOTHING_USED, inputTokens: assumedTokens }, price);
  const leastAlone = Math.min(least, Math.max(costOf(rest.fewestTokens), costOf(0) + reserved));
  return { least, leastAlone, most: costOf(maximum * choices), ...rest };
}

/** The terms of a fixed price: exactly that amount is held. */
const exactly = (units: number): ReturnType<typeof holdTerms> => ({
  least: units,
  most: units,
  costOf: () => units,
  fewestTokens: 0,
});

const NOTHING_USED: Usage = {
  semantics: 'openai',
  ...{ inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
};

const NO_PROMPT = { textTokens: 0, imageTokens: 0, audioTokens: 0 };

/**
 * Tokens of one answer that a hold pays for, possibly fewer than an upstream accepts as a limit. `undefined` where the
 * upstream needs no limit from us, because all that the client allows, or that the model can generate, is paid for.
 */
export function outputLimitFor(
  { prompt, choices, limit, maximum, predicted }: RequestBound,
  price: AppliedPrice,
  { hold, most }: { hold: Pick<Hold, 'amount' | 'known' | 'overhead'>; most: number },
): number | undefined {
  const { known } = hold;
  const amount = hold.amount - (hold.overhead ?? 0);
  if (amount >= most) return undefined;
  const paid = known
    ? known.outputTokens + Math.max(0, outputTokensFor(Math.max(0, amount - known.cost - 1), NO_PROMPT, price))
    : outputTokensFor(amount, prompt, price) - predicted;
  const each = Math.floor(paid / choices);
  return each >= (limit || maximum) ? undefined : each;
}
