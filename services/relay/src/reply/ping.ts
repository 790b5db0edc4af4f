/** A comment of server-sent events, which clients ignore. */
export const PING = Buffer.from(': PING\n\n');
