import { Refusal } from '../call/refusal.js';

/** Codes of the Midjourney dialect that we answer ourselves. */
export const DRAWING_REFUSED = 4;
export const DRAWING_UNKNOWN = 5;
export const GROUP_SATURATED = 30;
const SATURATED = '当前分组负载已饱和，请稍后再试，或升级账户以提升服务质量。';

/** A refusal in the words of a Midjourney proxy; its code is a number. */
export const drawingFault = (description: string, code = DRAWING_REFUSED): Refusal =>
  new Refusal(
    code === GROUP_SATURATED ? 429 : 400,
    code === GROUP_SATURATED ? `${description} ${SATURATED}` : description,
    String(code),
    { type: 'upstream_error' },
  );

/** A refusal of the creative tasks. */
export const songFault = (code: string, message = code, status = 400): Refusal => new Refusal(status, message, code);

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
