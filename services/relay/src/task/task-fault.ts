import type { TaskPlatform } from '@tollgate/contracts';
import { Refusal } from '../call/refusal.js';
import { WORDS_DETECTED } from '../policy/word-checks.js';

/** Codes of the Midjourney dialect with which the relay itself answers. */
const DRAWING_REFUSED = 4;
export const DRAWING_UNKNOWN = 5;
export const BANNED = 24;
export const GROUP_SATURATED = 30;
const SATURATED = '当前分组负载已饱和，请稍后再试，或升级账户以提升服务质量。';

const wordOf = (description: string): string | undefined => /^[a-z_]+(?=$|:)/.exec(description)?.[0];

/** A refusal in the format of a Midjourney proxy. Many refusals share one code; `description` distinguishes them. */
export const drawingFault = (description: string, code = DRAWING_REFUSED, reason = wordOf(description)): Refusal =>
  new Refusal(
    code === GROUP_SATURATED ? 429 : 400,
    code === GROUP_SATURATED ? `${description} ${SATURATED}` : description,
    String(code),
    { type: 'upstream_error', ...(reason !== undefined && { reason }) },
  );

/** A refusal in the format of the Suno API. */
export const songFault = (code: string, message = code, status = 400): Refusal => new Refusal(status, message, code);

/** The refusal of a submission with sensitive words. */
export function wordsFound(platform: TaskPlatform): Refusal {
  const { code, message } = WORDS_DETECTED;
  return platform === 'suno' ? songFault(code, message) : drawingFault(message, BANNED, code);
}

const CHANNEL_OFF = 'task_channel_disable';
const CHANNEL_OFF_TEXT = '该任务所属渠道已被禁用';

/** The refusal when the channel of the original task is disabled. */
export const originOff = (platform: TaskPlatform): Refusal =>
  platform === 'suno'
    ? songFault(CHANNEL_OFF, CHANNEL_OFF_TEXT)
    : drawingFault(CHANNEL_OFF_TEXT, DRAWING_REFUSED, CHANNEL_OFF);

/** The refusal when the channel of the original task was deleted. */
export const originGone = (platform: TaskPlatform): Refusal =>
  (platform === 'suno' ? songFault : drawingFault)('get_channel_info_failed');

/**
 * The refusal when the first run of an `Idempotency-Key` died during a submission, so that its result is unknown; if
 * the task exists, the list of tasks shows it.
 */
export const outcomeUnknown = (): Refusal =>
  new Refusal(
    409,
    '该 Idempotency-Key 的任务提交曾中断，结果未知，请先查询任务；如需重新提交，请换用新的 Idempotency-Key',
    'idempotency_outcome_unknown',
  );

/** Whether a path belongs to the Midjourney API, with or without a mode before it, or to the Suno API. */
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
