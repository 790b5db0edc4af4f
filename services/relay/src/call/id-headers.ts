import type { OutgoingHttpHeaders } from 'node:http';
import type { Dialect } from '@tollgate/providers';

/**
 * The headers that tell a request's id. Anthropic's clients read it from `request-id`; an upstream that sends that header
 * itself has the last word, since it is kept.
 */
export const idHeaders = (requestId: string, dialect: Dialect): OutgoingHttpHeaders =>
  dialect === 'anthropic'
    ? { 'x-oneapi-request-id': requestId, 'request-id': requestId }
    : { 'x-oneapi-request-id': requestId };
