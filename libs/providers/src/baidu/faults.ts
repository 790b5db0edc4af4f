import type { Attempt } from '@tollgate/contracts';
import type { JsonObject, UpstreamFault } from '../adapter.js';
import { findFault } from '../faults/faults.js';
import { textOf } from '../json/json.js';
import { faultOf } from '../plain/reply.js';

/** Failure classes by Baidu's error code; Baidu always answers 200. https://cloud.baidu.com/doc/WENXINWORKSHOP/s/tlmyncueh. */
const classes: Readonly<Record<number, Attempt['class']>> = {
  ...{ 6: 'credential', 13: 'credential', 14: 'credential', 15: 'credential', 100: 'credential' },
  ...{ 110: 'credential', 111: 'credential', 336117: 'credential' },
  ...{ 4: 'rate-limited', 17: 'rate-limited', 18: 'rate-limited', 19: 'rate-limited' },
  ...{ 336501: 'rate-limited', 336502: 'rate-limited', 336503: 'rate-limited', 336504: 'rate-limited' },
  ...{ 3: 'invalid', 336002: 'invalid', 336003: 'invalid', 336004: 'invalid', 336005: 'invalid', 336006: 'invalid' },
  ...{ 336007: 'invalid', 336101: 'invalid', 336102: 'invalid', 336103: 'invalid', 336104: 'invalid' },
};

/** The error in a body of Baidu, with secrets masked; `undefined` when there is none. */
export function baiduFault(json: JsonObject, secrets: readonly string[]): UpstreamFault | undefined {
  const stated = typeof json.error_code === 'string' ? json.error_code : Number(json.error_code ?? 0);
  const code = Number(stated);
  if (code === 0) return findFault(json, secrets);
  const details = { message: textOf(json.error_msg), type: 'baidu_error', code: stated };
  return faultOf(details, classes[code] ?? 'upstream', secrets);
}
