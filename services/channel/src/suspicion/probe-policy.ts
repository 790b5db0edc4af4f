import { CHANNEL_ACCOUNT_UNUSABLE } from '@tollgate/contracts';
import type { TransitionEvidence } from '../channel/channel-transition.entity.js';
import type { TestOutcome } from '../channel-test/test-verdict.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/**
 * The shortest time between two probes of a channel whose probe succeeded. It doubles each time, so that users cannot
 * trigger probes at will.
 */
const FIRST_PAUSE_MS = 30 * SECOND_MS;
/** Longer than all other pauses here, too. */
export const LONGEST_PAUSE_MS = 5 * MINUTE_MS;
/** After this time without a suspicion, earlier suspicions of a channel no longer count. */
export const FORGIVEN_AFTER_MS = 60 * MINUTE_MS;
/** An inconclusive probe is repeated this often; then the suspicion is dropped. */
export const MAX_UNDECIDED = 5;
const UNDECIDED_PAUSE_MS = 10 * SECOND_MS;
/** Pause before the next probe of a channel that the brake kept enabled, or that no probe can reach. */
export const PROBE_AGAIN_MS = MINUTE_MS;

const MIN_REQUESTS = 3;
const MIN_USERS = 2;
const MIN_SPREAD_MS = MINUTE_MS;
const MAX_WITNESSES = 50;

/** A user's request for which the upstream refused the channel's key or account. */
export interface Witness {
  userId: number;
  requestId: string;
  /** In ISO 8601. */
  at: string;
}

type ProbeVerdict = 'confirmed' | 'cleared' | 'undecided' | 'impossible';

/**
 * What a probe proves. Only a refusal of the same class confirms the suspicion; an upstream that is down, slow or
 * limits the rate says nothing about the key.
 */
export function verdictOf({ wasSent, success, isCredentialFault }: TestOutcome): ProbeVerdict {
  if (!wasSent) return 'impossible';
  if (success) return 'cleared';
  return isCredentialFault ? 'confirmed' : 'undecided';
}

/** Milliseconds until the next probe of a channel after `cleared` successful probes in a row. */
export const pauseAfterClearing = (cleared: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, Math.min(cleared, 16) - 1), LONGEST_PAUSE_MS);

/** Milliseconds until the next probe after `undecided` inconclusive ones. */
export const pauseAfterUndecided = (undecided: number): number =>
  UNDECIDED_PAUSE_MS * 2 ** Math.max(0, Math.min(undecided, MAX_UNDECIDED) - 1);

/** Merges witnesses, one per request, and keeps the latest ones. */
export function addWitnesses(known: readonly Witness[], added: readonly Witness[]): Witness[] {
  const byRequest = new Map([...known, ...added].map((witness) => [witness.requestId, witness]));
  return [...byRequest.values()].sort((one, other) => (one.at < other.at ? -1 : 1)).slice(-MAX_WITNESSES);
}

/** Whether the evidence needs no probe, because no request can provoke this error. */
export const isCertain = ({ errorType }: TransitionEvidence): boolean => errorType === CHANNEL_ACCOUNT_UNUSABLE;

/**
 * Whether enough different users saw the same over some time, which decides when no probe can be sent. A single user
 * alone can never get a channel disabled.
 */
export function isWitnessed(witnesses: readonly Witness[]): boolean {
  const times = witnesses.map(({ at }) => Date.parse(at));
  const users = new Set(witnesses.map(({ userId }) => userId));
  return (
    witnesses.length >= MIN_REQUESTS &&
    users.size >= MIN_USERS &&
    Math.max(...times) - Math.min(...times) >= MIN_SPREAD_MS
  );
}
