import type { Attempt } from '@tollgate/contracts';
import type { JsonObject } from '@tollgate/providers';

const ANTHROPIC = 14;
const NEVER = new Set([408, 504, 524]);

/**
 * Whether another channel may be tried, judged by the upstream's original status (0: it never answered). The caller
 * checks the limit of attempts and that nothing was sent to the client, and never replaces a channel that the client
 * named.
 */
export function mayRetry(status: number, channelType: number): boolean {
  if (NEVER.has(status)) return false;
  if (status === 400) return channelType === ANTHROPIC;
  return status < 200 || status > 299;
}

/**
 * Whether an upstream does not know the answer that the request continues (`previous_response_id`). Answers belong to
 * the account that made them, so another channel or key may know it, and an attempt that failed for this reason has
 * cost nothing.
 */
export const isMadeElsewhere = ({ previous_response_id: id }: JsonObject, { status, errorCode }: Attempt): boolean =>
  typeof id === 'string' &&
  id !== '' &&
  (status === 400 || status === 404) &&
  errorCode === 'previous_response_not_found';

/** The status that the client sees: the channel's mapping of it, where the target is a valid error status. */
export function mapStatus(status: number, mapping: Readonly<Record<string, string>>): number {
  const target = Number(mapping[String(status)]);
  return Number.isInteger(target) && target >= 400 && target <= 599 ? target : status;
}
