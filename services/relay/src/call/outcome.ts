import type { AppliedPrice, Attempt, EventEnvelope, RequestConsumed, Usage } from '@tollgate/contracts';
import { requestConsumed } from '@tollgate/contracts';
import { envelopeOf, isoTime } from '@tollgate/chassis';
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
  // validates it. Absent fields are `undefined`, because adding them one by one takes longer than writing their text.
  return envelopeOf(
    requestConsumed,
    'relay',
    {
      userId: call.user.id,
      tokenId: call.token?.id ?? 0,
      channelId: route.channelId,
      isChannelNamed: call.channelId === undefined ? undefined : true,
      model: call.model,
      upstreamModel: route.upstreamModel === call.model ? undefined : route.upstreamModel,
      group: call.group,
      // The user's own group is named only where it has a ratio of its own.
      userGroup: terms.price.userGroupRatio === undefined ? undefined : call.user.group,
      endpoint: recordedOf(call.endpoint),
      task: call.task,
      repeats: call.repeats,
      usage: ending.usage,
      usageSource: ending.usageSource,
      usageDoubt: ending.usageDoubt,
      priceVersion: terms.priceVersion,
      quota,
      held: ending.held,
      outcome: ending.outcome,
      abortPolicy: ending.abortPolicy,
      attempts: [...route.attempts],
      error: ending.error,
      replicaEpoch: terms.replicaEpoch,
      isStream: call.isStream,
      startedAt: isoTime(call.startedAt),
      durationMs: Math.round(ending.durationMs),
      firstTokenMs: ending.firstTokenMs === undefined ? undefined : Math.round(ending.firstTokenMs),
      reasoningEffort: route.reasoningEffort,
    },
    call.requestId,
  );
}
