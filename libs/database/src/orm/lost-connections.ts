import type { Pool, PoolClient } from 'pg';

/** Gives back a connection that was lost in use. Its holder, which may still do so, no longer needs to. */
function giveBack(this: PoolClient): void {
  this.release(true);
  this.release = () => undefined;
}

/**
 * Frees the places of connections that are lost in use. Kysely keeps the connection of a transaction that it can neither
 * begin nor end: with each of them the pool would lose a place for good, and its end would wait for ever.
 */
export function freeLostConnections(pool: Pool): void {
  pool.on('acquire', (client) => client.once('end', giveBack));
  pool.on('release', (_, client) => client.off('end', giveBack));
}
