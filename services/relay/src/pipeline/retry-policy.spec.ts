import { describe, expect, it } from '@jest/globals';
import { mapStatus, mayRetry } from './retry-policy.js';

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
