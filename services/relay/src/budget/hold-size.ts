import type { KnownCost } from './cost-memory.js';
import type { HoldRequest } from './hold.js';

/** How often the longest known answer a hold pays for, when many requests share a wallet that cannot pay all their bounds. */
const KNOWN_ANSWERS = 2;

/** The least that such a request may begin with: by its own numbers, or by what is known, if that is less. */
export function floorOf(request: HoldRequest, known: KnownCost | undefined): number {
  if (known === undefined || request.least === request.most) return request.least;
  const tokens = Math.max(KNOWN_ANSWERS * known.outputTokens, request.fewestTokens);
  return Math.min(request.least, request.costOf(tokens));
}

/**
 * How much to hold where the whole bound does not fit: all that is left for a request that is alone, a fair part of it beside others.
 * Undefined: too little for any. A shape that was seen before is likely to come again, so it leaves room for one more.
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
