import { describe, expect, it } from '@jest/globals';
import { keptHeaders, retryAfterOf } from './kept-headers.js';

describe('the headers of an upstream', () => {
  it.each<[string | undefined, number | undefined]>([
    ['30', 30],
    ['0.5', 0.5],
    ['Sat, 28 Nov 2026 07:00:30 GMT', 30],
    ['Sat, 28 Nov 2026 06:59:59 GMT', undefined],
    ['Never, 99 Nov 2026 07:00:30 GMT', undefined],
    ['soon 2030', undefined],
    ['0', undefined],
    ['-1', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('ask with the Retry-After %p to wait for %p seconds', (stated, seconds) => {
    expect(retryAfterOf({ 'retry-after': stated }, Date.UTC(2026, 10, 28, 7))).toBe(seconds);
  });

  it('reach the client only as far as they say nothing of the account', () => {
    const kept = { 'x-request-id': 'r', 'retry-after': '1', 'x-ratelimit-limit-tokens': '9' };
    expect(keptHeaders({ ...kept, 'set-cookie': ['a=b'], 'openai-organization': 'org' })).toEqual(kept);
  });
});
