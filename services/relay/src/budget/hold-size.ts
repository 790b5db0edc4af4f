import type { KnownCost } from './cost-memory.js';
import type { HoldRequest } from './hold.js';

/**
 * How many times the longest known answer a hold pays for at least, when many requests share a wallet that cannot pay
 * all their bounds.
 */
const KNOWN_ANSWERS = 2;

/** The smallest hold that such a request may begin with: its own least, or less if the known cost allows it. */
export function floorOf(request: HoldRequest, known: KnownCost | undefined): number {
  if (known === undefined || request.least === request.most) return request.least;
  const tokens = Math.max(KNOWN_ANSWERS * known.outputTokens, request.fewestTokens);
  return Math.min(request.least, request.costOf(tokens));
}

/** The smallest hold of such a request when it is alone on its account. */
export const leastAloneOf = ({ least, leastAlone = least }: HoldRequest): number => leastAlone;

/**
 * How much to hold where the whole bound does not fit: a request that is alone gets all that is left, one beside others
 * a fair part. `undefined` when less than the floor is left. A shape that was seen before is likely to come again, so
 * room is left for one more such request.
 */
export function sizeOf(
  request: HoldRequest,
  { left, others, known }: { left: number; others: number; known: KnownCost | undefined },
): number | undefined {
  const floor = floorOf(request, known);
  if (left < floor) return undefined;
  const shares = 1 + Math.max(others, known ? 1 : 0);
  return Math.min(request.most, Math.max(floor, Math.floor(left / shares)));
}
