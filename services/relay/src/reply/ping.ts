import type { Dialect } from '@tollgate/providers';

/** A comment of server-sent events, which clients ignore. */
const COMMENT = Buffer.from(': PING\n\n');
/** Google's client for Python takes a comment for JSON that it cannot parse; it skips blank lines. */
const BLANK = Buffer.from('\n\n');

/** What is sent to a client that has received nothing for a while. */
export const pingFor = (dialect: Dialect): Buffer => (dialect === 'gemini' ? BLANK : COMMENT);
