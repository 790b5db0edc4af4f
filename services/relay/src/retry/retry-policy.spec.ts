import { describe, expect, it } from '@jest/globals';
import type { Attempt } from '@tollgate/contracts';
import { isMadeElsewhere, mapStatus, mayRetry } from './retry-policy.js';

describe('mayRetry', () => {
  it.each([401, 403, 404, 422, 429, 307, 500, 502, 503, 0])('tries another channel after %i', (status) => {
    expect(mayRetry(status, 1)).toBe(true);
  });
  it.each([400, 408, 504, 524, 200])('gives up after %i', (status) => {
    expect(mayRetry(status, 1)).toBe(false);
  });
  it('tries another channel after a 400 of Anthropic', () => {
    expect(mayRetry(400, 14)).toBe(true);
  });
});

describe('isMadeElsewhere', () => {
  const unknown = { status: 400, errorCode: 'previous_response_not_found' } as Attempt;
  const goesOn = { previous_response_id: 'resp_1' };
  it('recognizes the error of an upstream that did not make the answer', () => {
    expect(isMadeElsewhere(goesOn, unknown)).toBe(true);
    expect(isMadeElsewhere(goesOn, { ...unknown, status: 404 })).toBe(true);
  });
  it.each<[string, object, Partial<Attempt>]>([
    ['a request that goes on from none', {}, {}],
    ['an empty one', { previous_response_id: '' }, {}],
    ['another error', goesOn, { errorCode: 'invalid_request_error' }],
    ['an upstream that is out of order', goesOn, { status: 500 }],
  ])('is not %s', (_, json, changes) => {
    expect(isMadeElsewhere({ ...json }, { ...unknown, ...changes })).toBe(false);
  });
});

describe('mapStatus', () => {
  it.each([
    [400, { '400': '500' }, 500],
    [400, { '429': '500' }, 400],
    [400, { '400': 'x' }, 400],
    [400, { '400': '200' }, 400],
  ])('answers %i under %j as %i', (status, mapping, expected) => {
    expect(mapStatus(status, mapping as Record<string, string>)).toBe(expected);
  });
});
