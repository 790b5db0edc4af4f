import { describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { tableReader } from './topic-reader.js';

const BATCH = 5_000;

/** A partition with `records` records; `asked` collects the offsets after which batches were requested. */
function partitionOf(records: number): { client: Client; asked: number[] } {
  const asked: number[] = [];
  const query = async (_: string, values: unknown[]): Promise<{ rows: object[] }> => {
    if (values.length === 1) return { rows: [{ partition: 7 }] };
    const after = Number(values[2]);
    asked.push(after);
    const count = Math.min(BATCH, records - after - 1);
    const rowAt = (offset: number): object => ({ record_offset: String(offset), key: 'k', value: 'v', at: '5' });
    return { rows: Array.from({ length: count }, (__, index) => rowAt(after + 1 + index)) };
  };
  return { client: { query } as unknown as Client, asked };
}

describe('tableReader', () => {
  it.each([0, 3, BATCH, 2 * BATCH + 1])('hands out %i records once each, in their order', async (count) => {
    const { client } = partitionOf(count);
    const offsets: bigint[] = [];
    await tableReader(client)('topic', async (records) => {
      expect(records.length).toBeGreaterThan(0);
      for (const { partition, offset } of records) offsets.push(partition === 7 ? offset : -1n);
    });
    expect(offsets).toEqual(Array.from({ length: count }, (_, index) => BigInt(index)));
  });

  it('reads the next batch before it passes on one', async () => {
    const { client, asked } = partitionOf(BATCH + 1);
    const askedBefore: number[][] = [];
    await tableReader(client)('topic', async () => void askedBefore.push([...asked]));
    expect(askedBefore).toEqual([
      [-1, BATCH - 1],
      [-1, BATCH - 1],
    ]);
  });

  it('fails with the error of the handler, whatever happens to the prefetched batch', async () => {
    const { client } = partitionOf(BATCH);
    const query = client.query.bind(client) as unknown as (text: string, values: unknown[]) => Promise<unknown>;
    const broken = (text: string, values: unknown[]): Promise<unknown> =>
      values[2] === String(BATCH - 1) ? Promise.reject(new Error('the connection is gone')) : query(text, values);
    const reading = tableReader({ query: broken } as unknown as Client)('topic', () =>
      Promise.reject(new Error('the disk is full')),
    );
    await expect(reading).rejects.toThrow('the disk is full');
  });
});
