import { describe, expect, it } from '@jest/globals';
import { bucketsOf, summarize } from './buckets.js';
import { toCsv } from './csv.js';

describe('toCsv', () => {
  it('writes exact units, guards formulas and marks the encoding', () => {
    const start = Math.floor(new Date(2026, 10, 20, 3).getTime() / 1000);
    const row = { id: 0, user_id: 0, username: '', created_at: start, token_used: 1, count: 2, quota: 7 };
    const rows = [
      { ...row, model_name: '=cmd()' },
      { ...row, model_name: 'a,"b"', quota: 5 },
    ];
    const text = toCsv(summarize(rows, bucketsOf(start, start, 'hour'), 'hour'));
    expect(text.startsWith('\uFEFFstart,end,model,quota_units,calls\r\n')).toBe(true);
    expect(text).toContain(",'=cmd(),7,2");
    expect(text).toContain(',"a,""b""",5,2');
    expect(text).toMatch(/2026-11-20T03:00:00[+-]\d\d:\d\d/);
  });
});
