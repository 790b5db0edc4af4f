import type { OutgoingHttpHeaders } from 'node:http';
import type { Dialect } from '@tollgate/providers';

/** The header by which the clients of each dialect tell a request, besides our own. */
const names: Readonly<Record<Dialect, string | undefined>> = {
  openai: 'x-request-id',
  responses: 'x-request-id',
  anthropic: 'request-id',
  gemini: undefined,
};

/**
 * The headers that tell a request's id. An upstream that sends the header of the dialect itself has the last word, since
 * it is kept.
 */
export function idHeaders(requestId: string, dialect: Dialect): OutgoingHttpHeaders {
  const name = names[dialect];
  return { 'x-oneapi-request-id': requestId, ...(name !== undefined && { [name]: requestId }) };
}
