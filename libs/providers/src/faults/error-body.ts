import type { ClientError, Dialect, JsonObject } from '../adapter.js';

/** The suffix by which a user names a request to an operator. */
export const withRequestId = (message: string, requestId: string): string => `${message} (request id: ${requestId})`;

/** Google's words for a status; https://cloud.google.com/apis/design/errors. */
const GOOGLE_STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

function googleError({ code }: ClientError, message: string, status: number): JsonObject {
  const reason = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code, domain: 'tollgate' };
  return {
    error: {
      code: status,
      message,
      status: GOOGLE_STATUS[status] ?? 'INTERNAL',
      ...(code !== '' && { details: [reason] }),
    },
  };
}

/** An error in the shape the client's dialect documents. Google's repeats the status of the reply, or says which it would be. */
export function errorBody(dialect: Dialect, error: ClientError, requestId: string, status = 500): JsonObject {
  const message = error.isPlain ? error.message : withRequestId(error.message, requestId);
  if (dialect === 'anthropic') {
    return { type: 'error', error: { type: error.type, message }, request_id: requestId };
  }
  if (dialect === 'gemini') return googleError(error, message, status);
  const { type, param, code, statedCode = code } = error;
  return { error: { message, type, param: param ?? '', code: statedCode } };
}

/** The event of POST /v1/responses states its error without an object around it. */
function responsesErrorFrame({ message, code, param }: ClientError, requestId: string, place: number): Buffer {
  const data = {
    type: 'error',
    sequence_number: place,
    code: code || 'server_error',
    message: withRequestId(message, requestId),
  };
  return Buffer.from(`event: error\ndata: ${JSON.stringify({ ...data, param: param || null })}\n\n`);
}

/** The same as the last event of a stream that has begun; `place`: events before it, where the dialect counts them. */
export function errorFrame(dialect: Dialect, error: ClientError, requestId: string, place = 0): Buffer {
  if (dialect === 'responses') return responsesErrorFrame(error, requestId, place);
  const data = JSON.stringify(errorBody(dialect, error, requestId));
  return Buffer.from(dialect === 'anthropic' ? `event: error\ndata: ${data}\n\n` : `data: ${data}\n\n`);
}

/** The same where each event names its type, as those of pictures and sound do. */
export function typedErrorFrame(error: ClientError, requestId: string): Buffer {
  const data = JSON.stringify({ type: 'error', ...errorBody('openai', error, requestId) });
  return Buffer.from(`event: error\ndata: ${data}\n\n`);
}
