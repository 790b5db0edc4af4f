import type { ClientError, Dialect, JsonObject } from './adapter.js';

/** The suffix by which a user names a request to an operator. */
const withRequestId = (message: string, requestId: string): string => `${message} (request id: ${requestId})`;

/** An error in the shape the client's dialect documents; the status is the caller's. */
export function errorBody(dialect: Dialect, error: ClientError, requestId: string): JsonObject {
  const message = withRequestId(error.message, requestId);
  if (dialect === 'anthropic') {
    return { type: 'error', error: { type: error.type, message }, request_id: requestId };
  }
  return { error: { message, type: error.type, param: error.param ?? '', code: error.code } };
}

/** The same as the last event of a stream that has begun. */
export function errorFrame(dialect: Dialect, error: ClientError, requestId: string): Buffer {
  const data = JSON.stringify(errorBody(dialect, error, requestId));
  return Buffer.from(dialect === 'anthropic' ? `event: error\ndata: ${data}\n\n` : `data: ${data}\n\n`);
}
