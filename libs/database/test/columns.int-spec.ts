import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storableJson, storableText } from '@tollgate/chassis';
import { createDatabase, type TestDatabase } from '@tollgate/testing';
import fc from 'fast-check';
import { Client } from 'pg';
import { jsonColumn, plainColumn, textColumn } from '../src/orm/columns.js';

describe('columns as parameters', () => {
  let database: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    database = await createDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const readBack = async (type: string, column: string): Promise<unknown[]> => {
    const { rows } = await client.query<{ value: unknown }>(
      `select "value" from unnest($1::${type}[]) with ordinality as c("value", "n") order by "n"`,
      [column],
    );
    return rows.map(({ value }) => value);
  };
  const special = fc.constantFrom(
    '',
    'null',
    'NULL',
    '{}',
    '","',
    '\\',
    '"',
    "'",
    ' ',
    '\n',
    '{"a":[1]}',
    '\0',
    '\ud800',
  );
  const text = fc.oneof(
    special,
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('"', '\\', ',', 'a') }),
  );

  it('holds any texts, in their order and number', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text), async (values) => {
        expect(await readBack('text', textColumn(values))).toEqual(values.map(storableText));
      }),
    );
  });

  it('holds any JSON, and no JSON', async () => {
    const value = fc.oneof(text, fc.record({ text, list: fc.array(text) }), fc.constant(null), fc.constant(undefined));
    await fc.assert(
      fc.asyncProperty(fc.array(value), async (values) => {
        const stored = values.map((one): unknown => (one == null ? null : JSON.parse(storableJson(one))));
        expect(await readBack('jsonb', jsonColumn(values))).toEqual(stored);
      }),
    );
  });

  it('holds whole numbers up to the limits of a bigint, and null', async () => {
    const numbers = [0, -1, Number.MAX_SAFE_INTEGER, null, 2n ** 63n - 1n];
    expect(await readBack('bigint', plainColumn(numbers))).toEqual(numbers.map((number) => number?.toString() ?? null));
    expect(await readBack('bool', plainColumn([true, false, null]))).toEqual([true, false, null]);
    expect(await readBack('int', plainColumn([]))).toEqual([]);
  });
});
