import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ownId } from './own-id.js';

const key = createSecretKey(Buffer.alloc(32, 1));
const LIMIT = 2 ** 48;
const firstRows = Array.from({ length: 1000 }, (_, row) => row + 1);

describe('ownId', () => {
  it('differs for different rows, and is a number that JSON carries exactly', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 0, max: LIMIT - 1 }), { minLength: 2 });
    fc.assert(
      fc.property(ids, (rows) => {
        const own = rows.map((row) => ownId(row, key));
        expect(new Set(own).size).toBe(rows.length);
        for (const id of own) expect(Number.isInteger(id) && id >= 0 && id < LIMIT).toBe(true);
      }),
    );
    expect(new Set(firstRows.map((row) => ownId(row, key))).size).toBe(firstRows.length);
  });

  it('is the same each time, and another one with another key', () => {
    expect(ownId(5_000, createSecretKey(Buffer.alloc(32, 1)))).toBe(ownId(5_000, key));
    expect(ownId(5_000, createSecretKey(Buffer.alloc(32, 2)))).not.toBe(ownId(5_000, key));
  });

  it('shows neither how many rows there are nor which is newer', () => {
    const own = firstRows.map((row) => ownId(row, key));
    expect(own.filter((id) => id > LIMIT / 2).length).toBeGreaterThan(400);
    const rises = own.filter((id, at) => at > 0 && id > own[at - 1]!).length;
    expect(rises).toBeGreaterThan(400);
    expect(rises).toBeLessThan(600);
  });
});
