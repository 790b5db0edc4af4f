import { DRAWING_REFUSED, pathDialectOf } from '@tollgate/chassis';

interface ModelError {
  message: string;
  type: string;
  param: string;
  code: string;
}

/** The error object that clients of models expect, in addition to the console's envelope. */
export const modelError = ({ message, code }: Pick<ModelError, 'message' | 'code'>, requestId: string): ModelError => ({
  message: `${message} (request id: ${requestId})`,
  type: 'new_api_error',
  param: '',
  code,
});

const UNAVAILABLE = { message: '服务暂不可用，请稍后重试', code: 'service-unreachable' };
/** The body for clients of the console, of OpenAI and of Anthropic, of which each reads its own members. */
const inOneBody = (requestId: string, service: string): object => ({
  success: false,
  ...UNAVAILABLE,
  ...{ kind: 'unavailable', params: { service }, type: 'error' },
  error: modelError(UNAVAILABLE, requestId),
});

/** The body of the 503 for a call whose service cannot be reached, in the dialect of its path. */
export function unavailableBody(url: string, requestId: string, service: string): object {
  const { message } = modelError(UNAVAILABLE, requestId);
  const dialect = pathDialectOf(url);
  if (dialect === 'gemini') return { error: { code: 503, message, status: 'UNAVAILABLE' } };
  if (dialect === 'drawing') return { description: message, type: 'upstream_error', code: DRAWING_REFUSED };
  if (dialect === 'song') return { code: 'service_unreachable', message, data: null };
  return inOneBody(requestId, service);
}
