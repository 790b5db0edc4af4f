import { expect, it } from '@jest/globals';
import { createDatabase } from '@tollgate/testing';
import { Pool } from 'pg';
import { isPoison } from '../src/events/failure-class.js';
import { clientConfig } from '../src/orm/connection.js';

it('an exhausted pool counts as an outage, never as a fault of the event', async () => {
  const database = await createDatabase();
  const config = clientConfig(database.url, { schema: 'billing' });
  const pool = new Pool({ ...config, max: 1, connectionTimeoutMillis: 50 });
  const taken = await pool.connect();
  try {
    const error: unknown = await pool.query('select 1').catch((reason: unknown) => reason);
    // The text by which the rest of the product tells it from a bug.
    expect(error).toMatchObject({ message: 'timeout exceeded when trying to connect' });
    expect(isPoison(error)).toBe(false);
  } finally {
    taken.release();
    await pool.end();
    await database.drop();
  }
});
