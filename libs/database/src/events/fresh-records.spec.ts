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
  it('returns the records after a position, in order and once', () => {
    const fresh = new FreshRecords();
    fresh.add(run(5, 2));
    fresh.add(run(7, 2));
    expect(offsets(fresh.take(5n, 3))).toEqual([5, 6, 7]);
    expect(offsets(fresh.take(8n, 3))).toEqual([8]);
    expect(offsets(fresh.take(9n, 3))).toEqual([]);
  });

  it('returns nothing while the record at the position must be read from the table, then continues after it', () => {
    const fresh = new FreshRecords();
    fresh.add(run(10, 3));
    expect(offsets(fresh.take(8n, 5))).toEqual([]);
    expect(offsets(fresh.take(11n, 5))).toEqual([11, 12]);
  });

  it('ignores records after a gap until no earlier ones are kept', () => {
    const fresh = new FreshRecords();
    fresh.add(run(1, 2));
    fresh.add(run(5, 2));
    expect(offsets(fresh.take(1n, 9))).toEqual([1, 2]);
    fresh.add(run(7, 1));
    expect(offsets(fresh.take(7n, 9))).toEqual([7]);
  });

  it('drops records that were already read from the table', () => {
    const fresh = new FreshRecords();
    fresh.add(run(1, 4));
    expect(offsets(fresh.take(9n, 9))).toEqual([]);
    fresh.add(run(9, 1));
    expect(offsets(fresh.take(9n, 9))).toEqual([9]);
  });

  it('keeps no more than its limit, and accepts more after records were taken', () => {
    const fresh = new FreshRecords(10);
    fresh.add(run(1, 1, '12345678'));
    fresh.add(run(2, 1, '12345678'));
    expect(offsets(fresh.take(1n, 9))).toEqual([1]);
    fresh.add(run(3, 1, '12345678'));
    expect(offsets(fresh.take(3n, 9))).toEqual([3]);
  });
});
