import { describe, expect, it } from '@jest/globals';
import { CHANNEL_ACCOUNT_UNUSABLE } from '@tollgate/contracts';
import type { TestOutcome } from '../channel-test/test-verdict.js';
import {
  addWitnesses,
  isCertain,
  isWitnessed,
  pauseAfterClearing,
  pauseAfterUndecided,
  verdictOf,
} from './probe-policy.js';

const outcome: TestOutcome = {
  success: true,
  message: '',
  model: 'm',
  responseTimeMs: 1,
  startedAt: new Date(0),
  wasSent: true,
  isCredentialFault: false,
};
const failed = { success: false, message: 'no' };
const witness = (userId: number, seconds: number) => ({
  userId,
  requestId: `${userId}-${seconds}`,
  at: new Date(seconds * 1000).toISOString(),
});

describe('a probe', () => {
  it.each([
    ['that is answered clears', {}, 'cleared'],
    ['that is refused for its key confirms', { ...failed, isCredentialFault: true, status: 401 }, 'confirmed'],
    ['that fails otherwise proves nothing', { ...failed, status: 503 }, 'undecided'],
    ['that never arrived proves nothing', failed, 'undecided'],
    ['that cannot be sent is impossible', { ...failed, wasSent: false }, 'impossible'],
  ])('%s', (_, result, expected) => {
    expect(verdictOf({ ...outcome, ...result })).toBe(expected);
  });

  it('is delayed longer after each success, up to five minutes', () => {
    expect([1, 2, 3, 4, 5, 500].map(pauseAfterClearing)).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
  });

  it('is repeated after 10, 20, 40 and 80 seconds when it is inconclusive', () => {
    expect([1, 2, 3, 4].map(pauseAfterUndecided)).toEqual([10_000, 20_000, 40_000, 80_000]);
  });
});

describe('failed requests as witnesses, when no probe can be sent', () => {
  it.each([
    ['one user, however often', [witness(1, 0), witness(1, 60), witness(1, 600)], false],
    ['two requests', [witness(1, 0), witness(2, 600)], false],
    ['all within a minute', [witness(1, 0), witness(2, 10), witness(3, 59)], false],
    ['three of two users over a minute', [witness(1, 0), witness(2, 10), witness(1, 60)], true],
  ])('are judged: %s', (_, witnesses, expected) => {
    expect(isWitnessed(witnesses)).toBe(expected);
  });

  it('count each request once, and the latest fifty only', () => {
    const many = Array.from({ length: 60 }, (_, index) => witness(1, index));
    expect(addWitnesses(many, many)).toEqual(many.slice(10));
  });

  it('are not needed for a failure that no request can cause', () => {
    expect(isCertain({ status: 401, errorType: CHANNEL_ACCOUNT_UNUSABLE })).toBe(true);
    expect(isCertain({ status: 401, errorType: 'invalid_request_error' })).toBe(false);
    expect(isCertain({ status: 401 })).toBe(false);
  });
});
