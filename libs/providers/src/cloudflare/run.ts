import type { JsonObject, ReplyContext, UpstreamFault } from '../adapter.js';
import { modelPath } from '../channel/model-path.js';
import { classifyError, findFault, unreadableReply } from '../faults/faults.js';
import { isObject, parseObject } from '../json/json.js';
import { readCloudflareError } from './error.js';

const CLOUDFLARE = 39;

export const runPath = (model: string): string => `/run/${modelPath(model)}`;

/** The `result` of a model run, or the error. */
export function readResult(
  body: Buffer,
  { secrets }: Pick<ReplyContext, 'secrets'>,
): { result: JsonObject } | { result?: undefined; fault: UpstreamFault } {
  const json = parseObject(body.toString('utf8'));
  if (!json) return { fault: unreadableReply };
  if (!findFault(json)) return isObject(json.result) ? { result: json.result } : { fault: unreadableReply };
  const errorBody = readCloudflareError(JSON.stringify(json));
  return { fault: classifyError({ status: 200, body: errorBody, channelType: CLOUDFLARE, secrets }) };
}
