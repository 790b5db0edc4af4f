import { noNews, type TaskNews, type TaskPlatform } from '@tollgate/contracts';

/** How far a task is by its status; nothing goes back, and an end stays an end. Unknown words say nothing. */
const RANKS: Record<string, number> = {
  '': 0,
  NOT_START: 1,
  SUBMITTED: 2,
  QUEUED: 2,
  // The drawing waits for what only its user can tell; then it goes on.
  MODAL: 3,
  IN_PROGRESS: 3,
  SUCCESS: 9,
  FAILURE: 9,
};
const OVER = 9;

/** How long a task may take, in milliseconds: the reference's hour for drawings, a day for songs. */
export const TIME_LIMIT_MS: Record<TaskPlatform, number> = { midjourney: 3_600_000, suno: 24 * 3_600_000 };
export const OUT_OF_TIME: Record<TaskPlatform, string> = {
  midjourney: '上游任务超时（超过1小时）',
  suno: '上游任务超时（超过24小时）',
};
export const channelGone = (channelId: number): string => `获取渠道信息失败，请联系管理员，渠道ID：${channelId}`;
/** Stands in the place of texts that may name somebody. */
export const WITHHELD = '已抹除';
export const NO_ANSWER = '提交后未收到上游的任务编号';

/** What is known of a task that news can change. */
export type Known = Omit<TaskNews, 'startedAt' | 'finishedAt'> & { startedAt: number; finishedAt: number };

const percentOf = (progress: string): number => Number(progress.replace('%', '')) || 0;

/**
 * What is known once the news is in, or undefined when it tells nothing new. A failure that only its reason tells, and a picture
 * that only its progress tells, are ends too; so is what proxies call finished without a word for it.
 */
export function withNews(known: Known, told: TaskNews): Known | undefined {
  const status = statusOf(known, told);
  const next: Known = {
    ...known,
    ...newTexts(known, told),
    status,
    progress: isEnd(status) ? '100%' : furthest(known.progress, told.progress),
    startedAt: known.startedAt || told.startedAt,
    finishedAt: told.finishedAt || known.finishedAt,
    ...(status === 'FAILURE' && told.failReason !== '' && { failReason: told.failReason }),
  };
  const fields = Object.keys(next) as (keyof Known)[];
  return fields.some((field) => next[field] !== known[field]) ? next : undefined;
}

/** What is told of the task of somebody who is to be forgotten: how far it is, and no word of what it is about. */
export const wordless = ({ status, progress, startedAt, finishedAt, failReason }: TaskNews): TaskNews => ({
  ...noNews,
  ...{ status, progress, startedAt, finishedAt },
  // That there was a reason tells of a failure whose status does not.
  failReason: failReason === '' ? '' : WITHHELD,
});

const TEXTS = ['imageUrl', 'promptEn', 'description', 'state', 'buttons', 'properties', 'data'] as const;

/** What is not told again stays. */
const newTexts = (known: Known, told: TaskNews): Partial<Known> =>
  Object.fromEntries(TEXTS.map((field) => [field, told[field] || known[field]]));

export const isEnd = (status: string): boolean => RANKS[status] === OVER;

function statusOf(known: Known, told: TaskNews): string {
  if (isEnd(known.status)) return known.status;
  if (told.failReason !== '' && told.status !== 'SUCCESS') return 'FAILURE';
  const rank = RANKS[told.status];
  // A window that opens or closes is no step back.
  return rank !== undefined && rank >= (RANKS[known.status] ?? 0) && told.status !== '' ? told.status : known.status;
}

const furthest = (known: string, told: string): string => (percentOf(told) > percentOf(known) ? told : known);
