import type { ServerResponse } from 'node:http';

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/**
 * Makes browsers that have connected by TLS use nothing else for a year, so that an attacker in the network cannot
 * downgrade them.
 */
export const demandTls = (response: ServerResponse): void =>
  void response.setHeader('Strict-Transport-Security', `max-age=${YEAR_SECONDS}`);

/**
 * Replies of the console contain keys and balances, so they must not be cached, and browsers must not guess their type.
 */
export function keepPrivate(response: ServerResponse): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
}
