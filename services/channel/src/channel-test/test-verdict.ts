import { ChannelStatus, type channelTested, type EventOf } from '@tollgate/contracts';
import type { TransitionEvidence } from '../channel/channel-transition.entity.js';

export interface TestOutcome {
  success: boolean;
  /** Masked; empty for a success. */
  message: string;
  model: string;
  responseTimeMs: number;
  startedAt: Date;
  /** Which of several keys was used. */
  keyId?: string;
  /** False when there was no request to send: nothing here speaks to this type, or it refuses the model. */
  wasSent: boolean;
  /** The upstream refused the key or the account behind it. */
  isCredentialFault: boolean;
  status?: number;
  errorCode?: string;
  errorType?: string;
  /** Of a success. */
  answer?: EventOf<typeof channelTested>['data']['answer'];
}

export interface TestPolicy {
  disable: boolean;
  enable: boolean;
  /** Seconds; 0 means no limit. */
  thresholdSeconds: number;
}

export interface Verdict {
  to: number;
  reason: string;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(2);

/** The documented words; undefined when it was fast enough. */
function slownessOf({ responseTimeMs }: TestOutcome, thresholdSeconds: number): string | undefined {
  if (thresholdSeconds <= 0 || responseTimeMs <= thresholdSeconds * 1000) return undefined;
  return `响应时间 ${seconds(responseTimeMs)}s 超过阈值 ${thresholdSeconds.toFixed(2)}s`;
}

/** What a run over all channels concludes from one test. A person's decision (status 2) is never overruled. */
export function judgeTest(
  channel: { status: number; autoBan: boolean },
  outcome: TestOutcome,
  policy: TestPolicy,
): Verdict | undefined {
  const slowness = slownessOf(outcome, policy.thresholdSeconds);
  if (channel.status === ChannelStatus.enabled) {
    if (!policy.disable || !channel.autoBan) return undefined;
    const reason = outcome.isCredentialFault ? outcome.message : slowness;
    return reason === undefined ? undefined : { to: ChannelStatus.autoDisabled, reason };
  }
  // A slow one would be switched off again by the next run.
  const isGood = outcome.success && slowness === undefined;
  return channel.status === ChannelStatus.autoDisabled && policy.enable && isGood
    ? { to: ChannelStatus.enabled, reason: '' }
    : undefined;
}

export const evidenceOf = ({
  message,
  model,
  responseTimeMs,
  status,
  errorCode,
  errorType,
  startedAt,
  keyId,
}: TestOutcome): TransitionEvidence => ({
  status: status ?? 0,
  errorCode,
  errorType,
  message,
  model,
  responseTimeMs,
  observedAt: startedAt.toISOString(),
  ...(keyId && { keyId }),
});
