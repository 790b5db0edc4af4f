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
/** Midjourney's code for a refused request. */
const DRAWING_REFUSED = 4;

/** The body for clients of the console, of OpenAI and of Anthropic, of which each reads its own members. */
const inOneBody = (requestId: string, service: string): object => ({
  success: false,
  ...UNAVAILABLE,
  ...{ kind: 'unavailable', params: { service }, type: 'error' },
  error: modelError(UNAVAILABLE, requestId),
});

/** Bodies by the beginning of the path, where the members of that body have other meanings. */
const OTHER_BODIES: readonly (readonly [RegExp, (message: string) => object])[] = [
  [/^\/v1beta(?!\/openai)/, (message) => ({ error: { code: 503, message, status: 'UNAVAILABLE' } })],
  [/^(?:\/[^/]+)?\/mj\//, (message) => ({ description: message, type: 'upstream_error', code: DRAWING_REFUSED })],
  [/^\/suno\//, (message) => ({ code: 'service_unreachable', message, data: null })],
];

/** The body of the 503 for a call whose service cannot be reached, in the dialect of its path. */
export function unavailableBody(url: string, requestId: string, service: string): object {
  const other = OTHER_BODIES.find(([beginning]) => beginning.test(url))?.[1];
  return other ? other(modelError(UNAVAILABLE, requestId).message) : inOneBody(requestId, service);
}
