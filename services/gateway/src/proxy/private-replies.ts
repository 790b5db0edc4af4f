import type { ServerResponse } from 'node:http';

/** Replies of the console hold keys and balances: no cache keeps them, and no browser takes them for anything but what they say they are. */
export function keepPrivate(response: ServerResponse): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
}
