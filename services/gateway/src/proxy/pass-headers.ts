import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { CALLER_HEADER, FORWARDED_HEADER, REVISIONS_HEADER, SERVICE_HEADER } from '@tollgate/chassis';

/** Headers that only services of the platform may set; they are removed from clients' requests. */
export const INTERNAL_HEADERS = [CALLER_HEADER, SERVICE_HEADER, FORWARDED_HEADER, REVISIONS_HEADER];

/** Headers that concern one connection, not the message. */
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

/** `expect: 100-continue` has already been answered by this server. */
const ANSWERED_HERE = 'expect';

/**
 * The headers to send on: without those that concern the incoming connection, including those that its `connection`
 * header names.
 */
export function passHeaders(headers: IncomingHttpHeaders, drop: readonly string[] = []): OutgoingHttpHeaders {
  const declared = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const dropped = new Set([...HOP_BY_HOP, ANSWERED_HERE, ...declared, ...drop]);
  const passed: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !dropped.has(name)) passed[name] = value;
  }
  return passed;
}
