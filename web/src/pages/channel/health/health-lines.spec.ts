import { describe, expect, it } from '@jest/globals';
import type { HealthStep, HealthTest } from '@tollgate/contracts/api/channel-health';
import { everyHour, linesOf, lookOf, sentenceOf, totalsOf } from './health-lines.js';

const step = (at: number, more: Partial<HealthStep> = {}): HealthStep => ({
  id: at,
  at,
  from_status: 1,
  to_status: 3,
  cause: 'test',
  outcome: 'moved',
  reason: '',
  actor_id: 0,
  actor: '',
  evidence: {},
  ...more,
});
const test = (at: number, success = true): HealthTest => ({ id: at, at, model: 'm', success, time: 1, message: '' });

describe('the timeline of a channel', () => {
  it('merges steps and tests, newest first, with repeated tests as one line', () => {
    const lines = linesOf([step(5)], [test(9), test(8), test(6, false), test(4, false), test(3, false)]);
    expect(lines.map((line) => [line.key, line.kind === 'test' ? line.count : 0])).toEqual([
      ['t9', 2],
      ['t6', 1],
      ['s5', 0],
      ['t4', 2],
    ]);
  });

  it('has a text for every step, also for unknown causes', () => {
    expect(sentenceOf(step(1))).toBe('test_3');
    expect(sentenceOf(step(1, { cause: 'manual', to_status: 1 }))).toBe('manual_1');
    expect(sentenceOf(step(1, { outcome: 'held', to_status: 1 }))).toBe('held');
    expect(sentenceOf(step(1, { cause: 'balance', to_status: 1 }))).toBe('other');
    expect([lookOf(step(1)), lookOf(step(1, { outcome: 'held', to_status: 1 }))]).toEqual(['autoDisabled', 'suspect']);
  });

  it('shows every hour of the span, and sums those with requests', () => {
    const hours = [{ hour: 7200, requests: 8, failures: 1 }];
    expect(everyHour(hours, 3600, 11_000).map(({ hour, requests }) => [hour, requests])).toEqual([
      [3600, 0],
      [7200, 8],
      [10_800, 0],
    ]);
    expect(totalsOf(hours)).toEqual({ requests: 8, failures: 1, rate: '12.5' });
    expect(totalsOf([]).rate).toBe('0.0');
  });
});
