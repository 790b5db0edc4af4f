import type { OutgoingHttpHeaders } from 'node:http';
import type { Dialect } from '@tollgate/providers';

const ofOpenAi = (id: string): OutgoingHttpHeaders => ({ 'x-oneapi-request-id': id, 'x-request-id': id });

/** Our own header, and the one from which the clients of each dialect read it. */
const headers: Readonly<Record<Dialect, (id: string) => OutgoingHttpHeaders>> = {
  openai: ofOpenAi,
  responses: ofOpenAi,
  anthropic: (id) => ({ 'x-oneapi-request-id': id, 'request-id': id }),
  gemini: (id) => ({ 'x-oneapi-request-id': id }),
};

/**
 * The headers that tell a request's id. An upstream that sends the header of the dialect itself has the last word, since
 * it is kept.
 */
export const idHeaders = (requestId: string, dialect: Dialect): OutgoingHttpHeaders => headers[dialect](requestId);
