import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { CALLER_HEADER, FORWARDED_HEADER, REVISIONS_HEADER, SERVICE_HEADER } from '@tollgate/chassis';

/** Names only we may set; whatever a client sends under them is dropped. */
export const INTERNAL_HEADERS = [CALLER_HEADER, SERVICE_HEADER, FORWARDED_HEADER, REVISIONS_HEADER];

/** Headers about one connection and not about the message. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** A header that our own server has answered already. */
const ANSWERED_HERE = 'expect';

/** The headers of a message for the next connection: without those of this one, and those the sender declared to be such. */
export function passHeaders(headers: IncomingHttpHeaders, drop: readonly string[] = []): OutgoingHttpHeaders {
  const declared = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const dropped = new Set([...HOP_BY_HOP, ANSWERED_HERE, ...declared, ...drop]);
  const passed: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !dropped.has(name)) passed[name] = value;
  }
  return passed;
}
