import type { EventOf, requestConsumed } from '@tollgate/contracts';
import type { TransitionEvidence } from '../channel/channel-transition.entity.js';

type ConsumedEvent = EventOf<typeof requestConsumed>;

/** One attempt on which an upstream refused the channel's key or account. */
export interface CredentialEvidence {
  observedAt: Date;
  reason: string;
  details: TransitionEvidence;
}

/** What was used of each channel; requests that cost nothing leave no trace. */
export function quotaByChannel(events: readonly ConsumedEvent[]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const { data } of events) {
    if (data.channelId > 0 && data.quota > 0) sums.set(data.channelId, (sums.get(data.channelId) ?? 0) + data.quota);
  }
  return sums;
}

/** The latest evidence against each channel: if any counts, that one does. */
export function credentialEvidence(events: readonly ConsumedEvent[]): Map<number, CredentialEvidence> {
  const latest = new Map<number, CredentialEvidence>();
  for (const { id, data } of events) {
    const observedAt = new Date(data.startedAt);
    for (const attempt of data.attempts) {
      if (attempt.class !== 'credential') continue;
      const known = latest.get(attempt.channelId);
      if (known && known.observedAt >= observedAt) continue;
      const { status, errorCode, errorType, message } = attempt;
      latest.set(attempt.channelId, {
        observedAt,
        reason: message || [`status code ${status}`, errorCode, errorType].filter(Boolean).join(', '),
        details: {
          status,
          errorCode,
          errorType,
          message,
          requestId: id,
          model: data.model,
          observedAt: data.startedAt,
        },
      });
    }
  }
  return latest;
}
