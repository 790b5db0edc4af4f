import { describe, expect, it } from '@jest/globals';
import { v7 } from 'uuid';
import { type RefusedCall, RefusedCounts } from './refused-counts.js';

const AT = Date.UTC(2026, 0, 2, 3, 4, 30);
const call = (change: Partial<RefusedCall> = {}, at = AT): RefusedCall => ({
  requestId: v7({ msecs: at }),
  ...{ reason: 'invalid_token', status: 401, message: 'no such key', tokenId: 0, userId: 0, model: '' },
  ...change,
});

describe('refused calls', () => {
  it('are counted by minute, reason, token and model', () => {
    const counts = new RefusedCounts();
    const first = call();
    counts.add(first);
    counts.add(call());
    counts.add(call({}, AT + 60_000));
    counts.add(call({ tokenId: 7, userId: 2, model: 'm', reason: 'model_not_allowed' }));
    const rows = counts.take();
    const minute = Date.UTC(2026, 0, 2, 3, 4) / 1000;
    expect(rows.map((row) => [row.minute, row.reason, row.tokenId, row.count])).toEqual([
      [minute, 'invalid_token', 0, 2],
      [minute + 60, 'invalid_token', 0, 1],
      [minute, 'model_not_allowed', 7, 1],
    ]);
    expect(rows[0]?.requestIds[0]).toBe(first.requestId);
    expect([counts.size, counts.take()]).toEqual([0, []]);
  });

  it('distinguish few models of one token in a minute, however often rows are taken', () => {
    const counts = new RefusedCounts();
    const modelsTold = new Set<string>();
    const add = (tokenId: number, at: number): void => {
      for (let number = 0; number < 100; number += 1) counts.add(call({ tokenId, model: `known ${number}` }, at));
      for (const { model } of counts.take()) modelsTold.add(`${tokenId} ${model}`);
    };
    for (const at of [AT, AT + 2000, AT + 4000]) add(1, at);
    expect(modelsTold.size).toBe(21);
    add(2, AT + 5000);
    expect(modelsTold.size).toBe(42);
    counts.add(call({ tokenId: 1, model: 'known 77' }, AT + 60_000));
    expect(counts.take()).toMatchObject([{ model: 'known 77', count: 1 }]);
  });

  it('take bounded memory without losing counts', () => {
    const counts = new RefusedCounts();
    for (let number = 0; number < 50_000; number += 1)
      counts.add(
        call({ tokenId: 1 + (number % 3), model: `made up ${number} ${'x'.repeat(1000)}`, message: 'y'.repeat(9000) }),
      );
    const rows = counts.take();
    expect(rows.length).toBeLessThanOrEqual(2000);
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(50_000);
    expect(Math.max(...rows.map((row) => JSON.stringify(row).length))).toBeLessThan(2000);
  });
});
