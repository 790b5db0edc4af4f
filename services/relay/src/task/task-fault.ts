import type { TaskPlatform } from '@tollgate/contracts';
import { Refusal } from '../call/refusal.js';

/** Codes of the Midjourney dialect that we answer ourselves. */
export const DRAWING_REFUSED = 4;
export const DRAWING_UNKNOWN = 5;
export const GROUP_SATURATED = 30;
const SATURATED = '当前分组负载已饱和，请稍后再试，或升级账户以提升服务质量。';

const wordOf = (description: string): string | undefined => /^[a-z_]+(?=$|:)/.exec(description)?.[0];

/** A refusal in the words of a Midjourney proxy. Its code is one number for many of them: what tells them apart is the description. */
export const drawingFault = (description: string, code = DRAWING_REFUSED, reason = wordOf(description)): Refusal =>
  new Refusal(
    code === GROUP_SATURATED ? 429 : 400,
    code === GROUP_SATURATED ? `${description} ${SATURATED}` : description,
    String(code),
    { type: 'upstream_error', ...(reason !== undefined && { reason }) },
  );

/** A refusal of the creative tasks. */
export const songFault = (code: string, message = code, status = 400): Refusal => new Refusal(status, message, code);

const CHANNEL_OFF = 'task_channel_disable';
const CHANNEL_OFF_TEXT = '该任务所属渠道已被禁用';

/** The channel of the task that is to be followed is switched off. */
export const originOff = (platform: TaskPlatform): Refusal =>
  platform === 'suno'
    ? songFault(CHANNEL_OFF, CHANNEL_OFF_TEXT)
    : drawingFault(CHANNEL_OFF_TEXT, DRAWING_REFUSED, CHANNEL_OFF);

/** The channel of the task that is to be followed was deleted. */
export const originGone = (platform: TaskPlatform): Refusal =>
  (platform === 'suno' ? songFault : drawingFault)('get_channel_info_failed');

/** What became of a submission with an `Idempotency-Key` whose first run died, nobody can tell: it is in the list of tasks, if anywhere. */
export const outcomeUnknown = (): Refusal =>
  new Refusal(
    409,
    '该 Idempotency-Key 的任务提交曾中断，结果未知，请先查询任务；如需重新提交，请换用新的 Idempotency-Key',
    'idempotency_outcome_unknown',
  );

/** Whether a path speaks the Midjourney dialect, under whatever mode, or that of the creative tasks. */
export function taskDialectOf(path: string): 'midjourney' | 'suno' | undefined {
  if (path.startsWith('/suno/')) return 'suno';
  return /^(?:\/[^/]+)?\/mj\//.test(path) ? 'midjourney' : undefined;
}

/** The body of a refusal in the dialect of the path. */
export function taskErrorBody(dialect: 'midjourney' | 'suno', { error }: Refusal, requestId: string): object {
  const isCode = /^\d{1,2}$/.test(error.code);
  if (dialect === 'suno') return { code: error.code || 'invalid_request', message: error.message, data: null };
  const description = isCode ? error.message : `${error.message} (request id: ${requestId})`;
  return { description, type: error.type, code: isCode ? Number(error.code) : DRAWING_REFUSED };
}
