import type { JsonObject, ReplyHeaders } from '../adapter.js';
import { parseObject, textOf } from '../json/json.js';

/** AWS error names → Anthropic's error types. */
const types: Readonly<Record<string, string>> = {
  throttlingexception: 'rate_limit_error',
  servicequotaexceededexception: 'rate_limit_error',
  modelnotreadyexception: 'overloaded_error',
  serviceunavailableexception: 'overloaded_error',
  modeltimeoutexception: 'timeout_error',
  validationexception: 'invalid_request_error',
  resourcenotfoundexception: 'not_found_error',
  accessdeniedexception: 'permission_error',
  unrecognizedclientexception: 'authentication_error',
  invalidsignatureexception: 'authentication_error',
  incompletesignatureexception: 'authentication_error',
  missingauthenticationtokenexception: 'authentication_error',
  expiredtokenexception: 'authentication_error',
};

/** Streams write the names with a lower-case first letter; headers append a URL after a colon. */
export const anthropicErrorType = (name: string): string =>
  types[(name.split(':')[0] ?? '').trim().toLowerCase()] ?? 'api_error';

/**
 * AWS names the error in a header and has only the message in the body. An error without either is that of something
 * in front of AWS, which is read as it stands.
 */
export function readAwsError(body: string | undefined, headers: ReplyHeaders): JsonObject {
  const json = parseObject(body ?? '') ?? {};
  const name = textOf(headers['x-amzn-errortype']) || textOf(json.__type).replace(/^.*#/, '');
  const message = textOf(json.message) || textOf(json.Message);
  if (name === '' && message === '') return json;
  return { error: { type: anthropicErrorType(name), ...(message && { message }) } };
}
