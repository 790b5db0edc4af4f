import type { ClientError, Dialect, JsonObject } from '../adapter.js';

/** Appends the request id, which a user can quote to the operator. */
export const withRequestId = (message: string, requestId: string): string => `${message} (request id: ${requestId})`;

/** Google's error status by HTTP status, where it has one of its own; https://cloud.google.com/apis/design/errors. */
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

const googleStatusOf = (status: number): string =>
  GOOGLE_STATUS[status] ?? (status >= 400 && status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');

/** What an error body states besides the error itself. */
interface Said {
  message: string;
  requestId: string;
  status: number;
}

function googleError({ code }: ClientError, { message, status }: Said): JsonObject {
  const reason = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code, domain: 'tollgate' };
  return {
    error: {
      code: status,
      message,
      status: googleStatusOf(status),
      ...(code !== '' && { details: [reason] }),
    },
  };
}

const openAiError = ({ type, param, code, statedCode }: ClientError, { message }: Said): JsonObject => ({
  error: { message, type, param: param ?? '', code: statedCode === undefined ? code : statedCode },
});

const anthropicError = ({ type, details }: ClientError, { message, requestId }: Said): JsonObject => ({
  type: 'error',
  error: { type, message, ...(details && { details }) },
  request_id: requestId,
});

const bodies: Readonly<Record<Dialect, (error: ClientError, said: Said) => JsonObject>> = {
  openai: openAiError,
  responses: openAiError,
  anthropic: anthropicError,
  gemini: googleError,
};

/** An error body in the client's dialect. Google's contains the HTTP status of the reply, or of the reply it would have been. */
export function errorBody(dialect: Dialect, error: ClientError, requestId: string, status = 500): JsonObject {
  const message = error.isPlain ? error.message : withRequestId(error.message, requestId);
  return bodies[dialect](error, { message, requestId, status });
}

/** The error event of POST /v1/responses has its members at the top level. */
function responsesErrorFrame({ message, code, param }: ClientError, requestId: string, place: number): string {
  const data = {
    type: 'error',
    sequence_number: place,
    code: code || 'server_error',
    message: withRequestId(message, requestId),
  };
  return `event: error\ndata: ${JSON.stringify({ ...data, param: param || null })}\n\n`;
}

const wholeBody = (dialect: Dialect, error: ClientError, requestId: string): string =>
  `data: ${JSON.stringify(errorBody(dialect, error, requestId, error.status))}\n\n`;

const frames: Readonly<Record<Dialect, (error: ClientError, requestId: string, place: number) => string>> = {
  openai: (error, requestId) => wholeBody('openai', error, requestId),
  gemini: (error, requestId) => wholeBody('gemini', error, requestId),
  anthropic: (error, requestId) => `event: error\n${wholeBody('anthropic', error, requestId)}`,
  responses: responsesErrorFrame,
};

/**
 * As `errorBody`, but as the last event of a stream that has begun; `place` is the number of events before it, for dialects that number
 * events.
 */
export function errorFrame(dialect: Dialect, error: ClientError, requestId: string, place = 0): Buffer {
  return Buffer.from(frames[dialect](error, requestId, place));
}

/** As `errorFrame`, for streams of pictures and audio, whose events name their type. */
export function typedErrorFrame(error: ClientError, requestId: string): Buffer {
  const data = JSON.stringify({ type: 'error', ...errorBody('openai', error, requestId) });
  return Buffer.from(`event: error\ndata: ${data}\n\n`);
}
