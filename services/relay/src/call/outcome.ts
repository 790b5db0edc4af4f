import type { AppliedPrice, Attempt, EventEnvelope, RequestConsumed, Usage } from '@tollgate/contracts';
import { requestConsumed } from '@tollgate/contracts';
import { envelopeOf } from '@tollgate/chassis';
import { rate } from '@tollgate/pricing';
import { ENDPOINTS } from './endpoints.js';
import type { BilledCall } from './relay-call.js';

export const noUsage: Usage = {
  semantics: 'openai',
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
};

/** The price version and price that a request is charged by; fixed when the request is admitted. */
export interface Terms {
  readonly priceVersion: string;
  readonly price: AppliedPrice;
  readonly replicaEpoch: string;
}

/** How the request was routed so far: the channel that serves it and the attempts before. */
export interface RouteTaken {
  readonly attempts: readonly Attempt[];
  readonly channelId: number;
  readonly upstreamModel?: string;
  readonly reasoningEffort?: string;
}

export interface Ending {
  outcome: RequestConsumed['outcome'];
  usage: Usage;
  usageSource: RequestConsumed['usageSource'];
  usageDoubt?: RequestConsumed['usageDoubt'];
  abortPolicy?: RequestConsumed['abortPolicy'];
  durationMs: number;
  firstTokenMs?: number;
  error?: RequestConsumed['error'];
  /** Units that the hold set aside. */
  held?: number;
}

const recordedOf = (endpoint: BilledCall['endpoint']): RequestConsumed['endpoint'] =>
  endpoint === 'realtime' || endpoint === 'task' ? endpoint : ENDPOINTS[endpoint].recorded;

/** The record names the user's own group only where that group has a ratio of its own. */
const groupsOf = ({ group, user }: BilledCall, { price }: Terms): Pick<RequestConsumed, 'group' | 'userGroup'> => ({
  group,
  ...(price.userGroupRatio !== undefined && { userGroup: user.group }),
});

/** The fields that only a task, or a run that repeats a charged one, has. */
const kindOf = ({ task, repeats }: BilledCall): Pick<RequestConsumed, 'task' | 'repeats'> => ({
  ...(task && { task }),
  ...(repeats !== undefined && { repeats }),
});

/**
 * Builds the record that is spooled, booked and logged. The event id is the request id, so no code path can book a
 * request twice.
 */
export function consumptionEvent(
  call: BilledCall,
  terms: Terms,
  route: RouteTaken,
  ending: Ending,
): EventEnvelope & { data: RequestConsumed } {
  const quota = rate(ending.usage, terms.price);
  // Not validated against its contract here: that would take a twentieth of the time of the whole request, and billing
  // validates it.
  return envelopeOf(
    requestConsumed,
    'relay',
    {
      userId: call.user.id,
      tokenId: call.token?.id ?? 0,
      channelId: route.channelId,
      model: call.model,
      ...(route.upstreamModel !== undefined &&
        route.upstreamModel !== call.model && { upstreamModel: route.upstreamModel }),
      ...groupsOf(call, terms),
      endpoint: recordedOf(call.endpoint),
      ...kindOf(call),
      usage: ending.usage,
      usageSource: ending.usageSource,
      ...(ending.usageDoubt && { usageDoubt: ending.usageDoubt }),
      priceVersion: terms.priceVersion,
      quota,
      ...(ending.held !== undefined && { held: ending.held }),
      outcome: ending.outcome,
      ...(ending.abortPolicy && { abortPolicy: ending.abortPolicy }),
      attempts: [...route.attempts],
      ...(ending.error && { error: ending.error }),
      replicaEpoch: terms.replicaEpoch,
      isStream: call.isStream,
      startedAt: new Date(call.startedAt).toISOString(),
      durationMs: Math.round(ending.durationMs),
      ...(ending.firstTokenMs !== undefined && { firstTokenMs: Math.round(ending.firstTokenMs) }),
      ...(route.reasoningEffort !== undefined && { reasoningEffort: route.reasoningEffort }),
    },
    call.requestId,
  );
}
