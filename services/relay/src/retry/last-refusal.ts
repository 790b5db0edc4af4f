import type { RoutedChannel } from '@tollgate/contracts';
import { Refusal } from '../call/refusal.js';
import type { BilledCall } from '../call/relay-call.js';
import type { AttemptFailure } from './attempt-failure.js';
import { mapStatus } from './retry-policy.js';

/** Stands in the place of an upstream's own text where it is overloaded. */
export const BUSY = '当前分组上游负载已饱和，请稍后再试';

/** What the client is told after the last channel failed. */
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

/** A 200 with an error inside, an upstream that never answered, and one whose status is none have no status to pass on. */
function clientStatus({ attempt }: AttemptFailure): number {
  if (attempt.status >= 400 && attempt.status <= 599) return attempt.status;
  if (attempt.class === 'timeout') return 504;
  if (attempt.class === 'rate-limited') return 429;
  if (attempt.class === 'credential') return 401;
  return attempt.class === 'invalid' ? 400 : 500;
}
