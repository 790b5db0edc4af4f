import type { AppliedPrice, Usage } from '@tollgate/contracts';
import { rate } from '@tollgate/pricing';
import type { Try } from '../upstream/try.js';
import { asRequested, believedOf, type UsageLimits, usageLimits } from '../usage/plausible.js';
import type { Answer, Counted, Doubt } from './counted.js';

/**
 * The verdict on a stated usage: the usage to charge, with the reason if it differs from the stated one; or only the
 * reason, if nothing of it is trusted.
 */
export type Judged = Counted | { usage?: undefined; usageDoubt: Doubt };

export function judge(current: Try, stated: Usage, receivedBytes: number): Judged {
  const { bound, terms } = current.granted;
  const believed = believedOf(stated, limitsOf(current, receivedBytes));
  if (!believed) return { usageDoubt: 'implausible' };
  const usage = withPictures(asRequested(believed.usage, bound), bound);
  if (!isRateable(usage, terms.price)) return { usageDoubt: 'unrateable' };
  return { usage, usageSource: 'upstream', usageDoubt: believed.isCut ? 'implausible' : undefined };
}

/** The usage that the upstream stated before the end, as far as it is plausible. */
export function believedSoFar(
  current: Try,
  { soFar, received }: Pick<Answer, 'soFar' | 'received'>,
): Usage | undefined {
  return soFar && judge(current, soFar, received).usage;
}

/** Adds the number of pictures, which the record shows in addition to their tokens. */
const withPictures = (usage: Usage, { prompt: { pictures } }: Try['granted']['bound']): Usage =>
  pictures ? { ...usage, pictures } : usage;

function limitsOf({ call, granted, request }: Try, receivedBytes: number): UsageLimits {
  const { bound, outputLimit, terms } = granted;
  const addedBytes = Math.max(0, (request.body?.length ?? 0) - call.bytes.length);
  return usageLimits(bound, {
    addedBytes,
    receivedBytes,
    outputLimit,
    pricesSound: terms.price.audioRatio !== undefined,
  });
}

/** False for numbers so large that their price exceeds every possible quota. */
function isRateable(usage: Usage, price: AppliedPrice): boolean {
  try {
    rate(usage, price);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
