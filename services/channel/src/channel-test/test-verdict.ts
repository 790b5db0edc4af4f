import { ChannelStatus, type channelTested, type EventOf, isTestThreshold } from '@tollgate/contracts';
import type { OptionStore } from '@tollgate/chassis';
import { parseObject } from '../channel/channel-rules.js';
import type { TransitionEvidence } from '../channel/channel-transition.entity.js';

export interface TestOutcome {
  success: boolean;
  /** With secrets masked; empty for a success. */
  message: string;
  model: string;
  responseTimeMs: number;
  startedAt: Date;
  /** The key that was used, of a channel with several. */
  keyId?: string;
  /** False when no request could be sent: the type is not supported, or its adapter refuses the model. */
  wasSent: boolean;
  /** Whether the upstream refused the key or its account. */
  isCredentialFault: boolean;
  status?: number;
  errorCode?: string;
  errorType?: string;
  /** Set for a success. */
  answer?: EventOf<typeof channelTested>['data']['answer'];
}

interface TestPolicy {
  disable: boolean;
  enable: boolean;
  /** In seconds; 0 = no limit. A channel may have its own. */
  thresholdSeconds: number;
}

export const testPolicyOf = (options: OptionStore): TestPolicy => ({
  disable: options.get('AutomaticDisableChannelEnabled'),
  enable: options.get('AutomaticEnableChannelEnabled'),
  thresholdSeconds: options.get('ChannelDisableThreshold'),
});

interface Verdict {
  to: number;
  reason: string;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(2);

/** The documented message for a slow reply; `undefined` when it was fast enough. */
function slownessOf({ responseTimeMs }: TestOutcome, thresholdSeconds: number): string | undefined {
  if (thresholdSeconds <= 0 || responseTimeMs <= thresholdSeconds * 1000) return undefined;
  return `响应时间 ${seconds(responseTimeMs)}s 超过阈值 ${thresholdSeconds.toFixed(2)}s`;
}

/** A channel's own limit for its tests, in seconds: a model that reasons answers later than others. */
function ownThresholdOf(setting: string): number | undefined {
  const threshold = parseObject(setting)?.test_threshold;
  return isTestThreshold(threshold) ? threshold : undefined;
}

/**
 * The status change that follows from one test in a run over all channels. A channel disabled by a person (status 2) is
 * never enabled.
 */
export function judgeTest(
  channel: { status: number; autoBan: boolean; setting: string },
  outcome: TestOutcome,
  policy: TestPolicy,
): Verdict | undefined {
  const slowness = slownessOf(outcome, ownThresholdOf(channel.setting) ?? policy.thresholdSeconds);
  if (channel.status === ChannelStatus.enabled) {
    if (!policy.disable || !channel.autoBan) return undefined;
    const reason = outcome.isCredentialFault ? outcome.message : slowness;
    return reason === undefined ? undefined : { to: ChannelStatus.autoDisabled, reason };
  }
  // A slow channel is not enabled, since the next run would disable it again.
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
