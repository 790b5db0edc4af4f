import type { AppliedPrice, Pictures, Usage } from '@tollgate/contracts';
import { isPerPicture } from '@tollgate/pricing';
import { noUsage } from '../call/outcome.js';
import type { RequestBound } from './bound.js';

interface ChargedRequest {
  bound: Pick<RequestBound, 'prompt' | 'fixed'>;
  terms: { price: AppliedPrice };
}

/**
 * The usage of requests that are charged by what they ask for, regardless of the upstream's statement: pictures by
 * their number, speech by its characters. `undefined` for all others.
 */
export function fixedUsage({ bound, terms }: ChargedRequest): Usage | undefined {
  const { pictures } = bound.prompt;
  if (!pictures || !isPerPicture(pictures, terms.price)) return bound.fixed;
  return usageByNumber(pictures);
}

/** The usage of pictures that are charged by their number, whatever tokens they took. */
export function usageByNumber({ byTokens: _, ...requested }: Pictures): Usage {
  return { ...noUsage, inputTokens: requested.count, pictures: requested };
}
