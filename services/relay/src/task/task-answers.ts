import { emptyTaskUpdate, type TaskUpdate } from '@tollgate/contracts';
import { isModestJson, type JsonObject, objectOf, taskIdOf } from '@tollgate/providers';
import { drawingFault, DRAWING_UNKNOWN, GROUP_SATURATED, songFault } from './task-fault.js';
import type { Refusal } from '../call/refusal.js';
import { BUSY } from '../retry/last-refusal.js';
import { mapStatus } from '../retry/retry-policy.js';

/** An upstream's answer to a submission, and the reply for the client. */
export interface TaskAnswer {
  isAccepted: boolean;
  /** The upstream's HTTP status; 0 when it never answered. */
  status: number;
  /** Empty where there is no task that could be fetched. */
  upstreamId: string;
  code: number;
  /** The upstream's own code, where the client gets another one. */
  upstreamCode?: string;
  news: TaskUpdate;
  /**
   * Whether another channel may be tried: the task is known not to have been taken, for a reason that lies in the
   * channel.
   */
  mayGoOn?: boolean;
  /** Whether the upstream timed out. */
  isLate?: boolean;
  /** The JSON body for the client, unless there is a fault. */
  body?: JsonObject;
  fault?: Refusal;
}

const SUBMITTED = 1;
const EXISTS = 21;
const QUEUED = 22;
/** The proxy has no account to draw with. */
export const NO_ACCOUNT = 3;
export const WRONG = 4;
export const QUEUE_FULL = 23;
/** Codes of a proxy that has the task. */
const TAKEN: ReadonlySet<number> = new Set([SUBMITTED, EXISTS, QUEUED]);
/** Codes of a proxy that could not take the task for reasons other than the task itself. */
const TURNED_AWAY: ReadonlySet<number> = new Set([NO_ACCOUNT, QUEUE_FULL, GROUP_SATURATED]);
/** Statuses of an upstream that rejected the request before looking at the task. */
const AT_THE_DOOR: ReadonlySet<number> = new Set([401, 403, 429]);
/** The description that the reference system uses. */
const UNREADABLE = 'unmarshal_response_body_failed';
const NO_ID = '上游没有返回任务编号';

const text = (value: unknown, length = 2000): string => (typeof value === 'string' ? value.slice(0, length) : '');

/** `undefined` for anything but a JSON object. */
export function parseReply(bytes: Buffer): JsonObject | undefined {
  const reply = bytes.toString('utf8');
  if (!isModestJson(reply)) return undefined;
  try {
    const value: unknown = JSON.parse(reply);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** An answer that was not accepted; `rest` has at least the status. */
const refused = (
  code: number,
  description: string,
  rest: Partial<TaskAnswer> & Pick<TaskAnswer, 'status'>,
): TaskAnswer => ({
  isAccepted: false,
  upstreamId: '',
  code,
  news: { ...emptyTaskUpdate, failReason: description || `code ${code}`, description },
  ...rest,
});

const turnedAway = (status: number, code = 0): Pick<TaskAnswer, 'mayGoOn'> =>
  AT_THE_DOOR.has(status) || TURNED_AWAY.has(code) ? { mayGoOn: true } : {};

/**
 * Parses the reply of a Midjourney proxy. Codes 1, 21 and 22 mean success; the client gets code 1 for all of them,
 * except for actions that open a dialog window by code 21. Any other reply is passed on as it is.
 */
export function readDrawingAnswer(status: number, bytes: Buffer, action: string): TaskAnswer {
  const body = parseReply(bytes);
  const code = typeof body?.code === 'number' ? body.code : undefined;
  const turned = { status, ...turnedAway(status, code) };
  if (!body || code === undefined)
    return refused(DRAWING_UNKNOWN, UNREADABLE, { fault: drawingFault(UNREADABLE, DRAWING_UNKNOWN), ...turned });
  const description = text(body.description);
  if (code === GROUP_SATURATED)
    return refused(code, description, { fault: drawingFault(description, code), ...turned });
  if (status !== 200) {
    const said = [description, text(body.result)].filter(Boolean).join(' ');
    return refused(code, description, { fault: drawingFault(said, code), ...turned });
  }
  if (!TAKEN.has(code)) return refused(code, description, { body, ...turned });
  const opensWindow = action === 'INPAINT' || action === 'CUSTOM_ZOOM';
  const reply = code === QUEUED || (code === EXISTS && !opensWindow) ? { ...body, code: SUBMITTED } : body;
  return {
    isAccepted: true,
    status,
    upstreamId: taskIdOf(body.result),
    code,
    news: updateOf(body, action),
    body: reply,
  };
}

function updateOf(body: JsonObject, action: string): TaskUpdate {
  const description = text(body.description);
  const properties = objectOf(body.properties);
  if (action === 'UPLOAD') {
    const imageUrl = text(Array.isArray(body.result) ? body.result[0] : body.result, 4096);
    return { ...emptyTaskUpdate, description, status: 'SUCCESS', progress: '100%', imageUrl };
  }
  if (body.code === EXISTS && properties.status === 'SUCCESS')
    return {
      ...emptyTaskUpdate,
      description,
      status: 'SUCCESS',
      progress: '100%',
      imageUrl: text(properties.imageUrl, 4096),
    };
  // Without an id the task cannot be fetched, so it ends at once and its price is refunded.
  if (taskIdOf(body.result) === '') return { ...emptyTaskUpdate, description, status: 'FAILURE', failReason: NO_ID };
  return { ...emptyTaskUpdate, description, status: 'SUBMITTED' };
}

/**
 * Parses the reply of a Suno proxy. Its message is passed on to the client, its code only if the status was 200.
 * `mapping` is the channel's status mapping.
 */
export function readSongAnswer(
  status: number,
  bytes: Buffer,
  mapping: Readonly<Record<string, string>> = {},
): TaskAnswer {
  const body = parseReply(bytes);
  const code = text(body?.code, 64);
  const id = taskIdOf(body?.data);
  if (status === 200 && body && code === 'success' && id !== '')
    return {
      isAccepted: true,
      status,
      upstreamId: id,
      code: SUBMITTED,
      news: { ...emptyTaskUpdate, status: 'NOT_START' },
      body,
    };
  const message = text(body?.message) || (status === 200 ? UNREADABLE : `upstream answered ${status}`);
  return songNotTaken(status, code === 'success' ? '' : code, message, mapping);
}

const FAILED = 'fail_to_fetch_task';

function songNotTaken(
  status: number,
  code: string,
  message: string,
  mapping: Readonly<Record<string, string>>,
): TaskAnswer {
  const fault = status === 200 ? songFault(code || FAILED, message, 500) : songFailed(status, message, mapping);
  return refused(0, message, { status, fault, ...(code !== '' && { upstreamCode: code }), ...turnedAway(status) });
}

/** The fault with the upstream's own status, as the channel maps it; 500 where that is no error status. */
function songFailed(status: number, message: string, mapping: Readonly<Record<string, string>>): Refusal {
  const clientStatus = mapStatus(status >= 400 && status <= 599 ? status : 500, mapping);
  return songFault(FAILED, clientStatus === 429 ? BUSY : message, clientStatus);
}
