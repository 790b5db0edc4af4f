import type { OutgoingHttpHeaders } from 'node:http';
import type { Dialect } from '@tollgate/providers';

/**
 * The headers that tell a request's id. Clients of Anthropic read it from `request-id`, those of OpenAI from
 * `x-request-id`; an upstream that sends that header itself has the last word, since it is kept.
 */
export function idHeaders(requestId: string, dialect: Dialect): OutgoingHttpHeaders {
  if (dialect === 'anthropic') return { 'x-oneapi-request-id': requestId, 'request-id': requestId };
  if (dialect === 'gemini') return { 'x-oneapi-request-id': requestId };
  return { 'x-oneapi-request-id': requestId, 'x-request-id': requestId };
}
