import { describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { leastIdAt } from '@tollgate/chassis';
import { monthPartition } from './month-partition.js';

describe('monthPartition', () => {
  it('names the month and bounds it by ids', () => {
    expect(monthPartition(new Date('2026-11-21T03:00:00Z'), 0)).toEqual({
      name: 'posting_2026_11',
      from: leastIdAt(Date.parse('2026-11-01T00:00:00Z')),
      to: leastIdAt(Date.parse('2026-12-01T00:00:00Z')),
    });
    expect(monthPartition(new Date('2026-11-30T23:59:59Z'), 2).name).toBe('posting_2027_01');
  });
  it('puts an id between the bounds of the month it was minted in', () => {
    const { from, to } = monthPartition(new Date('2026-11-21T03:00:00Z'), 0);
    for (const time of ['2026-11-01T00:00:00.000Z', '2026-11-30T23:59:59.999Z']) {
      const id = uuidv7({ msecs: Date.parse(time) });
      expect(id >= from && id < to).toBe(true);
    }
    expect(uuidv7({ msecs: Date.parse('2026-12-01T00:00:00Z') }) < to).toBe(false);
  });
});
