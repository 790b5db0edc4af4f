import { describe, expect, it } from '@jest/globals';
import type { ReadRecord } from '@tollgate/chassis';
import { FreshRecords } from './fresh-records.js';

const run = (from: number, count: number, value = 'v'): ReadRecord[] =>
  Array.from({ length: count }, (_, step) => ({
    topic: 't',
    partition: 0,
    offset: BigInt(from + step),
    key: 'k',
    value,
  }));
const offsets = (records: readonly ReadRecord[]): number[] => records.map(({ offset }) => Number(offset));

describe('FreshRecords', () => {
  it('gives what follows a position, in order and once', () => {
    const fresh = new FreshRecords();
    fresh.add(run(5, 2));
    fresh.add(run(7, 2));
    expect(offsets(fresh.take(5n, 3))).toEqual([5, 6, 7]);
    expect(offsets(fresh.take(8n, 3))).toEqual([8]);
    expect(offsets(fresh.take(9n, 3))).toEqual([]);
  });

  it('gives nothing where the position itself has to come from the table, and goes on behind it', () => {
    const fresh = new FreshRecords();
    fresh.add(run(10, 3));
    expect(offsets(fresh.take(8n, 5))).toEqual([]);
    expect(offsets(fresh.take(11n, 5))).toEqual([11, 12]);
  });

  it('leaves out what comes behind a gap until there is nothing before it', () => {
    const fresh = new FreshRecords();
    fresh.add(run(1, 2));
    fresh.add(run(5, 2));
    expect(offsets(fresh.take(1n, 9))).toEqual([1, 2]);
    fresh.add(run(7, 1));
    expect(offsets(fresh.take(7n, 9))).toEqual([7]);
  });

  it('forgets what the table was faster with', () => {
    const fresh = new FreshRecords();
    fresh.add(run(1, 4));
    expect(offsets(fresh.take(9n, 9))).toEqual([]);
    fresh.add(run(9, 1));
    expect(offsets(fresh.take(9n, 9))).toEqual([9]);
  });

  it('holds no more than its share, and takes more when that is gone', () => {
    const fresh = new FreshRecords(10);
    fresh.add(run(1, 1, '12345678'));
    fresh.add(run(2, 1, '12345678'));
    expect(offsets(fresh.take(1n, 9))).toEqual([1]);
    fresh.add(run(3, 1, '12345678'));
    expect(offsets(fresh.take(3n, 9))).toEqual([3]);
  });
});
