import { describe, expect, it } from '@jest/globals';
import { csvTime } from './csv-time.js';

describe('csvTime', () => {
  it('is UTC, and empty for 0', () => {
    expect([csvTime(1_763_856_000), csvTime(0)]).toEqual(['2025-11-23T00:00:00Z', '']);
  });
});
