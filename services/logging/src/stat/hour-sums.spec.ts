import { describe, expect, it } from '@jest/globals';
import type { Attempt } from '@tollgate/contracts';
import { channelSums, type LoggedRequest } from './hour-sums.js';

const CHANNEL = 3;

function failuresOf(attempt: Pick<Attempt, 'class' | 'status'>, outcome = 'failed'): number | undefined {
  const attempts = [{ channelId: CHANNEL, channelType: 1, durationMs: 5, ...attempt }];
  const request = { draft: { createdAt: 0 }, data: { channelId: 0, outcome, attempts } };
  return channelSums([request as unknown as LoggedRequest])[0]?.failures;
}

describe('the failures of a channel in an hour', () => {
  it.each([402, 403, 404, 405, 410])('count a reply of %i, which says nothing about the request', (status) => {
    expect(failuresOf({ class: 'invalid', status })).toBe(1);
  });

  it.each([0, 400, 413, 415, 422])('do not count the refusal of an invalid request with %i', (status) => {
    expect(failuresOf({ class: 'invalid', status })).toBe(0);
  });

  it('do not count what the client broke off', () => {
    expect(failuresOf({ class: 'invalid', status: 404 }, 'client_abort')).toBe(0);
  });
});
