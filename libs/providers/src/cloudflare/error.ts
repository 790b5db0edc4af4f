import type { JsonObject } from '../adapter.js';
import { arrayOf, isObject, objectOf, parseObject, textOf } from '../json/json.js';

/** Reads `{ success: false, errors: [{ code, message }] }`, and OpenAI's form on the paths compatible with it. */
export function readCloudflareError(body: string | undefined): JsonObject {
  const json = parseObject(body ?? '') ?? {};
  const [first] = arrayOf(json.errors).map(objectOf);
  if (isObject(json.error) || !first) return json;
  return { error: { message: textOf(first.message), type: 'cloudflare_error', code: first.code ?? '' } };
}
