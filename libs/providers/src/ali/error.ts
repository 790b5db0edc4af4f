import type { JsonObject, UpstreamFault } from '../adapter.js';
import { classifyError, findFault } from '../faults/faults.js';
import { isObject, parseObject, textOf } from '../json/json.js';

const ALI = 17;

/** `{ code, message, request_id }`, beside OpenAI's shape on the paths that imitate it. */
export function readAliError(body: string | undefined): JsonObject {
  const json = parseObject(body ?? '') ?? {};
  if (isObject(json.error)) return json;
  const code = textOf(json.code);
  return { error: { message: textOf(json.message), type: code || 'ali_error', code, param: textOf(json.request_id) } };
}

/** An error under status 200. */
export function aliFault(json: JsonObject, secrets: readonly string[]): UpstreamFault | undefined {
  if (!textOf(json.code)) return findFault(json, secrets);
  return classifyError({ status: 200, body: readAliError(JSON.stringify(json)), channelType: ALI, secrets });
}
