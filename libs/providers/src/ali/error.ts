import type { JsonObject, UpstreamFault } from '../adapter.js';
import { classifyError, findFault } from '../faults/faults.js';
import { isObject, parseObject, textOf } from '../json/json.js';

const ALI = 17;

/** Reads `{ code, message, request_id }`, and OpenAI's form on the paths compatible with it. */
export function readAliError(body: string | undefined): JsonObject {
  const json = parseObject(body ?? '') ?? {};
  if (isObject(json.error)) return json;
  const code = textOf(json.code);
  return { error: { message: textOf(json.message), type: code || 'ali_error', code, param: textOf(json.request_id) } };
}

/** Finds an error in a reply with status 200. */
export function aliFault(json: JsonObject, secrets: readonly string[]): UpstreamFault | undefined {
  if (!textOf(json.code)) return findFault(json, secrets);
  return classifyError({ status: 200, body: readAliError(JSON.stringify(json)), channelType: ALI, secrets });
}
