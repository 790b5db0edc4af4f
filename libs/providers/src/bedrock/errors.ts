import type { JsonObject, ReplyHeaders } from '../adapter.js';
import { parseObject, textOf } from '../json/json.js';

/** What AWS calls its errors, in Anthropic's words. */
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

/** Streams write the names with a small first letter; headers put an address behind a colon. */
export const anthropicErrorType = (name: string): string =>
  types[(name.split(':')[0] ?? '').trim().toLowerCase()] ?? 'api_error';

/** AWS says in a header what went wrong, and only the words in the body. */
export function readAwsError(body: string | undefined, headers: ReplyHeaders): JsonObject {
  const json = parseObject(body ?? '') ?? {};
  const name = textOf(headers['x-amzn-errortype']) || textOf(json.__type).replace(/^.*#/, '');
  const message = textOf(json.message) || textOf(json.Message);
  return { error: { type: anthropicErrorType(name), ...(message && { message }) } };
}
