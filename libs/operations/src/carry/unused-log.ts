import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { AppError } from '@tollgate/chassis';
import { eventLogSchema } from '@tollgate/database';

const LOOK_MS = 100;

/**
 * Throws `event-log-in-use` with the message if a process still uses the event log in the database after so many
 * milliseconds: the owner of the log holds a lock. Otherwise this connection has the lock until it ends, so that no
 * process begins to use the log meanwhile.
 */
export async function requireUnused(client: Client, patienceMs: number, message: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const { rows } = await client.query<{ free: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as free',
      [`tollgate:leader:${eventLogSchema.name}`],
    );
    if (rows[0]?.free) return;
    if (performance.now() > deadline) throw new AppError('unavailable', 'event-log-in-use', message);
    await pause(LOOK_MS);
  }
}
