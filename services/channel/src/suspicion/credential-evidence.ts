import type { EventOf, requestConsumed } from '@tollgate/contracts';
import type { TransitionEvidence } from '../channel/channel-transition.entity.js';
import type { Witness } from './probe-policy.js';

type ConsumedEvent = EventOf<typeof requestConsumed>;

/**
 * The latest attempt in which an upstream refused the channel's key or account, and all requests with such an attempt.
 */
export interface CredentialEvidence {
  channelId: number;
  /** Empty if the channel has a single key. */
  keyId: string;
  observedAt: Date;
  reason: string;
  details: TransitionEvidence;
  witnesses: Witness[];
}

/** Quota used per channel; requests that cost nothing are left out. */
export function quotaByChannel(events: readonly ConsumedEvent[]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const { data } of events) {
    if (data.channelId > 0 && data.quota > 0) sums.set(data.channelId, (sums.get(data.channelId) ?? 0) + data.quota);
  }
  return sums;
}

/** Channels that completed a request. */
export const servedChannels = (events: readonly ConsumedEvent[]): number[] => [
  ...new Set(
    events.filter(({ data }) => data.outcome === 'completed' && data.channelId > 0).map(({ data }) => data.channelId),
  ),
];

/**
 * Evidence per channel, or per key for a channel with several keys, since evidence about one key says nothing about the
 * others.
 */
export function credentialEvidence(events: readonly ConsumedEvent[]): CredentialEvidence[] {
  const found = new Map<string, CredentialEvidence>();
  for (const event of events) {
    for (const attempt of event.data.attempts) {
      if (attempt.class !== 'credential') continue;
      const added = evidenceOf(event, attempt);
      const place = `${added.channelId}/${added.keyId}`;
      const known = found.get(place);
      const latest = known && known.observedAt >= added.observedAt ? known : added;
      const witnesses = [...(known?.witnesses ?? []), ...added.witnesses];
      found.set(place, { ...latest, witnesses });
    }
  }
  return [...found.values()];
}

function evidenceOf(
  { id: requestId, data: { startedAt, userId, model } }: ConsumedEvent,
  { channelId, status, errorCode, errorType, message, keyId = '' }: ConsumedEvent['data']['attempts'][number],
): CredentialEvidence {
  return {
    ...{ channelId, keyId },
    observedAt: new Date(startedAt),
    reason: message || [`status code ${status}`, errorCode, errorType].filter(Boolean).join(', '),
    details: {
      status,
      errorCode,
      errorType,
      message,
      requestId,
      model,
      observedAt: startedAt,
      ...(keyId && { keyId }),
    },
    witnesses: [{ userId, requestId, at: startedAt }],
  };
}
