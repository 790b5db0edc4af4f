import { type Attempt, CHANNEL_ACCOUNT_UNUSABLE, type RoutedChannel } from '@tollgate/contracts';
import { NO_ACCOUNT, QUEUE_FULL, type TaskAnswer, WRONG } from './task-answers.js';
import { BANNED, GROUP_SATURATED } from './task-fault.js';

type Verdict = Pick<Attempt, 'class' | 'errorCode' | 'errorType' | 'message'>;

/** The message for a proxy without a usable account, as the reference system words it. */
const WITHOUT_ACCOUNT = 'No available account instance';
const MAX_MESSAGE = 256;

/**
 * The attempt of a submission at one channel. `choosesAccount`: the client's body selects the accounts that may be
 * used.
 */
export function attemptOf(
  { id, type }: RoutedChannel,
  answer: TaskAnswer,
  { durationMs, choosesAccount }: { durationMs: number; choosesAccount: boolean },
): Attempt {
  const { status } = answer;
  const common = { channelId: id, channelType: type, durationMs: Math.round(durationMs), status };
  if (answer.isAccepted) return { ...common, class: 'ok' };
  if (answer.isLate) return { ...common, class: 'timeout', errorCode: 'do_request_failed', message: '请求上游超时' };
  if (status === 0) return { ...common, class: 'network', errorCode: 'do_request_failed', message: '请求上游地址失败' };
  return { ...common, ...verdictOf(answer, choosesAccount) };
}

/**
 * A rejected key, or a proxy without an account, counts against the channel; a task rejected for its content does not.
 */
function verdictOf({ status, code, upstreamCode, news, fault }: TaskAnswer, choosesAccount: boolean): Verdict {
  const reported = {
    errorCode: upstreamCode ?? fault?.error.code ?? String(code),
    message: news.failReason.slice(0, MAX_MESSAGE),
  };
  if (status === 401) return { ...reported, class: 'credential', errorType: CHANNEL_ACCOUNT_UNUSABLE };
  if (code === NO_ACCOUNT)
    return {
      ...{ class: 'credential', errorCode: '3', message: WITHOUT_ACCOUNT },
      // The client selected accounts, and the lack of those says little about the others.
      ...(!choosesAccount && { errorType: CHANNEL_ACCOUNT_UNUSABLE }),
    };
  if (status === 429 || code === QUEUE_FULL || code === GROUP_SATURATED) return { ...reported, class: 'rate-limited' };
  if (code === WRONG || code === BANNED) return { ...reported, class: 'invalid' };
  return { ...reported, class: 'upstream' };
}
