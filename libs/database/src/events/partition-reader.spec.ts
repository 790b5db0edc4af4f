import { describe, expect, it } from '@jest/globals';
import type { ReadRecord } from '@tollgate/chassis';
import type { Pool } from 'pg';
import { PartitionReader } from './partition-reader.js';

const record = (offset: bigint): ReadRecord => ({ topic: 't', partition: 0, offset, key: 'k', value: `${offset}` });

describe('PartitionReader', () => {
  it('skips no record that is committed during an empty read', async () => {
    const rows: { record_offset: string; key: string; value: string }[] = [];
    let meanwhile = (): void => undefined;
    const query = (asked: string | { name: string; values: unknown[] }) => {
      if (typeof asked === 'string' || asked.name === 'event-log-commit') return Promise.resolve({ rows: [] });
      const found = rows.filter((row) => BigInt(row.record_offset) >= BigInt(asked.values[2] as bigint));
      meanwhile();
      return Promise.resolve({ rows: found });
    };
    const seen: bigint[] = [];
    const handled = Promise.withResolvers<void>();
    const reader = new PartitionReader({
      pool: { query } as unknown as Pool,
      log: console as never,
      group: 'g',
      topic: 't',
      partition: 0,
      handle: (records) => {
        seen.push(...records.map(({ offset }) => offset));
        if (seen.includes(6n)) handled.resolve();
        return Promise.resolve();
      },
      turn: (work) => work(),
      mayDeliver: () => true,
    });
    meanwhile = () => {
      meanwhile = () => undefined;
      // Retention has removed earlier records. This one is committed while the table is being read, and is not offered to the reader.
      rows.push({ record_offset: '5', key: 'k', value: '5' });
      reader.reach(6n);
      setImmediate(() => {
        rows.push({ record_offset: '6', key: 'k', value: '6' });
        reader.offer([record(6n)]);
      });
    };
    reader.reach(5n);
    await handled.promise;
    await reader.stop();
    expect(seen).toEqual([5n, 6n]);
  });
});
