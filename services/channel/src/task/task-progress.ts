import { emptyTaskUpdate, type TaskUpdate, type TaskPlatform } from '@tollgate/contracts';

/** Progress by status. A task never goes back, and an end is final. Other statuses are ignored. */
const RANKS: Record<string, number> = {
  '': 0,
  NOT_START: 1,
  SUBMITTED: 2,
  QUEUED: 2,
  // A status of songs: the upstream says that it does not know more.
  UNKNOWN: 2,
  // The task waits for an input of its user and then continues.
  MODAL: 3,
  IN_PROGRESS: 3,
  SUCCESS: 9,
  FAILURE: 9,
};
const OVER = 9;

/** Maximum duration of a task, in milliseconds: the reference's hour for drawings, a day for songs. */
export const TIME_LIMIT_MS: Record<TaskPlatform, number> = { midjourney: 3_600_000, suno: 24 * 3_600_000 };
export const OUT_OF_TIME: Record<TaskPlatform, string> = {
  midjourney: '上游任务超时（超过1小时）',
  suno: '上游任务超时（超过24小时）',
};
const CHANNEL_NAMED = '，渠道ID：';
export const channelGone = (channelId: number): string => `获取渠道信息失败，请联系管理员${CHANNEL_NAMED}${channelId}`;

/** A reason of failure as users see it, who do not learn which channel served them. */
export const withoutChannel = (failReason: string): string => failReason.split(CHANNEL_NAMED, 1)[0] ?? '';
/** Replaces texts that may contain personal data. */
export const WITHHELD = '已抹除';
export const NO_ANSWER = '提交后未收到上游的任务编号';

/** The state of a task as far as an update from the upstream can change it. */
export type TaskState = Omit<TaskUpdate, 'startedAt' | 'finishedAt'> & { startedAt: number; finishedAt: number };

const percentOf = (progress: string): number => Number(progress.replace('%', '')) || 0;

/** Applies an update; `undefined` when it changes nothing. A failure reason without a success status counts as a failure. */
export function applyUpdate(known: TaskState, update: TaskUpdate): TaskState | undefined {
  const status = statusOf(known, update);
  const next: TaskState = {
    ...known,
    ...newTexts(known, update),
    status,
    progress: isEnd(status) ? '100%' : furthest(known.progress, update.progress),
    startedAt: known.startedAt || update.startedAt,
    finishedAt: update.finishedAt || known.finishedAt,
    ...(status === 'FAILURE' && update.failReason !== '' && { failReason: update.failReason }),
  };
  const fields = Object.keys(next) as (keyof TaskState)[];
  return fields.some((field) => next[field] !== known[field]) ? next : undefined;
}

/** An update for the task of an erased user: only the progress, without any content. */
export const withoutContent = ({ status, progress, startedAt, finishedAt, failReason }: TaskUpdate): TaskUpdate => ({
  ...emptyTaskUpdate,
  ...{ status, progress, startedAt, finishedAt },
  // Kept non-empty, because a reason alone can mark a failure, see `applyUpdate`.
  failReason: failReason === '' ? '' : WITHHELD,
});

const TEXTS = ['imageUrl', 'promptEn', 'description', 'state', 'buttons', 'properties', 'data'] as const;

/** Fields that are empty in the update keep their value. */
const newTexts = (known: TaskState, update: TaskUpdate): Partial<TaskState> =>
  Object.fromEntries(TEXTS.map((field) => [field, update[field] || known[field]]));

export const isEnd = (status: string): boolean => RANKS[status] === OVER;

function statusOf(known: TaskState, update: TaskUpdate): string {
  if (isEnd(known.status)) return known.status;
  if (update.failReason !== '' && update.status !== 'SUCCESS') return 'FAILURE';
  const rank = RANKS[update.status];
  // Equal ranks may replace each other, e.g. MODAL and IN_PROGRESS.
  return rank !== undefined && rank >= (RANKS[known.status] ?? 0) && update.status !== ''
    ? update.status
    : known.status;
}

const furthest = (known: string, update: string): string => (percentOf(update) > percentOf(known) ? update : known);
