import { describe, expect, it } from '@jest/globals';
import { bucketsOf, summarize } from './buckets.js';
import { csvLines } from './csv.js';

describe('csvLines', () => {
  it('has exact units per bucket and model', () => {
    const start = Math.floor(new Date(2026, 10, 20, 3).getTime() / 1000);
    const row = { id: 0, user_id: 0, username: '', created_at: start, token_used: 1, count: 2, quota: 7 };
    const rows = [
      { ...row, model_name: 'one' },
      { ...row, model_name: 'two', quota: 5 },
    ];
    const [head, ...lines] = csvLines(summarize(rows, bucketsOf(start, start, 'hour'), 'hour'));
    expect(head).toEqual(['start', 'end', 'model', 'quota_units', 'calls']);
    expect(lines.map((line) => line.slice(2))).toEqual([
      ['one', 7, 2],
      ['two', 5, 2],
    ]);
    expect(lines[0]?.[0]).toMatch(/^2026-11-20T03:00:00[+-]\d\d:\d\d$/);
  });
});
