import type { RoutedChannel } from '@tollgate/contracts';
import { Refusal } from '../call/refusal.js';
import type { BilledCall } from '../call/relay-call.js';
import type { AttemptFailure } from './attempt-failure.js';
import { mapStatus } from './retry-policy.js';

/** Replaces the upstream's own text where it is overloaded. */
export const BUSY = '当前分组上游负载已饱和，请稍后再试';

/** The refusal that the client gets after the last channel failed. */
export function refusalAfter(
  { endpoint }: Pick<BilledCall, 'endpoint'>,
  { failure, channel }: { failure: AttemptFailure; channel: RoutedChannel },
): Refusal {
  const { fault, localStatus, retryAfter, headers } = failure;
  const status = localStatus ?? mapStatus(clientStatus(failure), channel.statusCodeMapping);
  const message = status === 429 && endpoint !== 'messages' ? BUSY : fault.message;
  const { type, param, statedCode } = fault;
  const refusal = new Refusal(status, message, fault.code, { type, param, retryAfter, headers, statedCode });
  refusal.isCharged = failure.isCharged === true;
  return refusal;
}

/**
 * The status before the channel's mapping. Derived from the fault class where the upstream's own cannot be used: an
 * error inside a 200, no answer at all, or an invalid status.
 */
function clientStatus({ attempt }: AttemptFailure): number {
  if (attempt.status >= 400 && attempt.status <= 599) return attempt.status;
  if (attempt.class === 'timeout') return 504;
  if (attempt.class === 'rate-limited') return 429;
  if (attempt.class === 'credential') return 401;
  return attempt.class === 'invalid' ? 400 : 500;
}
