import type { ServerResponse } from 'node:http';

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Who once came by TLS comes by nothing else for a year, so that nobody on the way talks a browser out of it. */
export const demandTls = (response: ServerResponse): void =>
  void response.setHeader('Strict-Transport-Security', `max-age=${YEAR_SECONDS}`);

/** Replies of the console hold keys and balances: no cache keeps them, and no browser takes them for anything but what they say they are. */
export function keepPrivate(response: ServerResponse): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
}
