import type { ChannelHour } from '@tollgate/contracts';
import type {
  ChannelHealth,
  HealthEvidence,
  HealthHour,
  HealthStep,
  HealthTest,
} from '@tollgate/contracts/api/channel-health';
import { unixSeconds } from '@tollgate/chassis';
import type { ChannelTransition, TransitionEvidence } from '../channel/channel-transition.entity.js';
import type { TestResult } from '../channel/test-result.entity.js';
import type { ChannelSuspicion } from '../suspicion/channel-suspicion.entity.js';

function toFields(evidence: TransitionEvidence): Omit<HealthEvidence, 'probe'> {
  const { status, message, model, balance, requests, users, observedAt } = evidence;
  return {
    status,
    error_code: evidence.errorCode,
    error_type: evidence.errorType,
    message,
    request_id: evidence.requestId,
    model,
    response_time: evidence.responseTimeMs,
    balance,
    observed_at: observedAt === undefined ? undefined : unixSeconds(new Date(observedAt)),
    requests,
    users,
  };
}

const toEvidence = ({ probe, ...evidence }: TransitionEvidence): HealthEvidence => ({
  ...toFields(evidence),
  ...(probe && { probe: toFields(probe) }),
});

export const toStep = (step: ChannelTransition, actor: string): HealthStep => ({
  id: step.id,
  at: unixSeconds(step.happenedAt),
  from_status: step.fromStatus,
  to_status: step.toStatus,
  cause: step.cause,
  outcome: step.outcome,
  reason: step.reason,
  actor_id: step.actorId ?? 0,
  actor,
  evidence: toEvidence(step.evidence),
});

export const toTest = ({ id, testedAt, model, success, responseTimeMs, message }: TestResult): HealthTest => ({
  id,
  at: unixSeconds(testedAt),
  model,
  success,
  time: responseTimeMs,
  message,
});

export const toHealthHour = (hour: ChannelHour): HealthHour => ({
  hour: hour.hour,
  requests: hour.requests,
  failures: hour.failures,
  first_token_p50: hour.firstTokenP50Ms,
  first_token_p95: hour.firstTokenP95Ms,
  duration: hour.durationMs,
});

/** Only an open suspicion; a cleared one is a row of the timeline. */
export const toSuspicion = (suspicion: ChannelSuspicion | null): ChannelHealth['suspicion'] =>
  suspicion && !suspicion.clearedAt
    ? {
        since: unixSeconds(suspicion.observedAt),
        reason: suspicion.reason,
        probe_at: unixSeconds(suspicion.probeAt),
        evidence: toEvidence(suspicion.evidence),
      }
    : null;
