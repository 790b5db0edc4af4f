import type { Attempt } from '@tollgate/contracts';
import type { JsonObject, UpstreamFault } from '../adapter.js';
import { arrayOf, isObject, objectOf, parseObject, textOf } from '../json/json.js';
import { maskSecrets } from './mask-secrets.js';

const GEMINI = 24;

const credentialCodes = new Set(['invalid_api_key', 'account_deactivated', 'billing_not_active', 'API_KEY_INVALID']);
const credentialTypes = new Set([
  'insufficient_quota',
  'insufficient_user_quota',
  'authentication_error',
  'permission_error',
  'forbidden',
]);

/** Statuses by types and codes of errors, for those that upstreams state in a reply with status 200. */
const statuses: ReadonlyMap<string, number> = new Map([
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['invalid_request_error', 400],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);
const ERROR_STATUS = /^[45]\d\d$/;

interface Failure {
  status: number;
  /** The body of the reply, parsed or not; a body that is not JSON gets a default message. */
  body: Buffer | string | JsonObject | undefined;
  channelType: number;
  /** Values of the channel that must be masked, see `secretsOf`. */
  secrets?: readonly string[];
}

interface Details {
  message: string;
  isUnstated?: true;
  type: string;
  code: string;
  statedCode?: number | null;
  param?: string;
}

const timeoutStatuses = new Set([408, 504, 524]);

const isCredential = (status: number, channelType: number, { type, code }: Details): boolean =>
  status === 401 ||
  (status === 403 && channelType === GEMINI) ||
  credentialCodes.has(code) ||
  credentialTypes.has(type);

/** Classifies by the upstream's own status. A channel's status mapping is applied later and changes only what the client sees. */
function classOf(status: number, channelType: number, details: Details): Attempt['class'] {
  if (isCredential(status, channelType, details)) return 'credential';
  if (status === 429) return 'rate-limited';
  if (timeoutStatuses.has(status)) return 'timeout';
  return status >= 400 && status < 500 ? 'invalid' : 'upstream';
}

const first = (...values: unknown[]): string => values.map(textOf).find((value) => value !== '') ?? '';

/** The message in a body without an `error` object, by the member names of known upstreams. */
const messageOf = (body: JsonObject): string =>
  first(
    body.error,
    body.message,
    body.msg,
    body.err,
    body.error_msg,
    objectOf(body.header).message,
    objectOf(objectOf(body.response).error).message,
    objectOf(body.base_resp).status_msg,
    body.detail,
  );

const word = (value: unknown): string => (typeof value === 'number' ? String(value) : textOf(value)).slice(0, 100);

function readBody(body: Failure['body']): JsonObject {
  if (body === undefined || isObject(body)) return body ?? {};
  const text = body.toString('utf8');
  // In streams, Google wraps the error into a list.
  return parseObject(text) ?? parseObject(text.trim().replace(/^\[/, '').replace(/\]$/, '')) ?? {};
}

/** Google answers 400 to an invalid key and states the reason in `details`. */
const reasonOf = (error: JsonObject): string =>
  first(...arrayOf(error.details).map((item) => objectOf(item).reason)).slice(0, 100);

/** The code for clients when it was not a string: the number or null; `undefined` when `code` is what was stated. */
const codeAsStated = ({ code: stated }: JsonObject, code: string): number | null | undefined =>
  typeof stated === 'number' && code === word(stated) ? stated : code === '' ? null : undefined;

/** Members of an error as Alibaba states it. An answer may have them, too, but never them alone. */
const OF_ALIBABA = ['code', 'message', 'request_id'];
const isOfAlibaba = (body: JsonObject): boolean =>
  Object.keys(body).length === OF_ALIBABA.length && OF_ALIBABA.every((name) => textOf(body[name]) !== '');

/** What the upstream said, or a message of ours where it said nothing. */
const messageFor = (said: string, status: number): Pick<Details, 'message' | 'isUnstated'> =>
  said === '' ? { message: `bad response status code ${status}`, isUnstated: true } : { message: said };

/** Only the message of a body without an `error` object is used, except in Alibaba's form with status 200. */
function detailsOfPlain(body: JsonObject, status: number): Details {
  const told = messageFor(messageOf(body), status);
  if (status === 200 && isOfAlibaba(body)) {
    const code = word(body.code);
    return { ...told, type: code, code, param: word(body.request_id) };
  }
  return { ...told, type: 'upstream_error', code: 'bad_response_status_code', param: String(status) };
}

/** Members of an `error` object override the defaults. */
function detailsOf(body: JsonObject, status: number): Details {
  if (!isObject(body.error)) return detailsOfPlain(body, status);
  const { error } = body;
  const said = first(error.message, error.msg) || messageOf({ ...body, error: undefined });
  const code = reasonOf(error) || word(error.code) || (isObject(error.code) ? '' : word(error.status));
  const statedCode = codeAsStated(error, code);
  return {
    ...messageFor(said, status),
    type: word(error.type) || 'upstream_error',
    code,
    ...(statedCode !== undefined && { statedCode }),
    ...(textOf(error.param) && { param: word(error.param) }),
  };
}

/** The status that an error in a reply with status 200 states. */
function statedStatus({ error }: JsonObject, { type, code }: Details): number | undefined {
  const number = [word(objectOf(error).code), code].find((text) => ERROR_STATUS.test(text));
  return number === undefined ? (statuses.get(type) ?? statuses.get(code)) : Number(number);
}

/** Classifies an upstream's failure and masks everything that belongs to the provider account. */
export function classifyError({ status, body, channelType, secrets = [] }: Failure): UpstreamFault {
  const json = readBody(body);
  const details = detailsOf(json, status);
  const { message, isUnstated, type, code, statedCode, param } = details;
  const stated = status < 300 ? statedStatus(json, details) : undefined;
  return {
    class: classOf(stated ?? status, channelType, details),
    message: maskSecrets(message, secrets),
    ...(isUnstated && { isUnstated }),
    type: maskSecrets(type, secrets),
    code: maskSecrets(code, secrets),
    ...(statedCode !== undefined && { statedCode }),
    ...(stated !== undefined && { status: stated }),
    ...(param !== undefined && { param: maskSecrets(param, secrets) }),
  };
}

/** Some servers add an `error` to every answer, whose members are empty in a good one. */
const saysError = (error: unknown): boolean =>
  isObject(error) ? Object.values(error).some(Boolean) : textOf(error) !== '';

/** The error in a 200 reply or in an event of a stream, if there is one. */
export function findFault(json: JsonObject, secrets: readonly string[] = []): UpstreamFault | undefined {
  const isError =
    saysError(json.error) ||
    json.type === 'error' ||
    json.success === false ||
    isOfAlibaba(json) ||
    Number(objectOf(json.base_resp).status_code ?? 0) !== 0;
  return isError ? classifyError({ status: 200, body: json, channelType: 0, secrets }) : undefined;
}

/** A 200 reply that has none of the dialect's forms. */
export const unreadableReply: UpstreamFault = {
  class: 'upstream',
  message: 'the upstream answered with an unreadable body',
  isUnstated: true,
  type: 'new_api_error',
  code: 'unmarshal_response_body_failed',
};
