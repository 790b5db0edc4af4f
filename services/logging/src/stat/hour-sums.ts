import { type Attempt, type RequestConsumed, LogType } from '@tollgate/contracts';
import type { WrittenLog } from '../log/log-row.js';
import type { RequestDraft } from '../log/request-row.js';
import { bucketOf, noFirstTokens } from './first-token-buckets.js';

/** A row that was just written, and its request. */
export interface LoggedRequest {
  draft: WrittenLog<RequestDraft>;
  data: RequestConsumed;
}

interface QuotaSum {
  userId: number;
  username: string;
  modelName: string;
  hour: number;
  count: number;
  quota: number;
  tokenUsed: number;
  loggedQuota: number;
}

interface ChannelSum {
  channelId: number;
  hour: number;
  requests: number;
  failures: number;
  answers: number;
  durationMsSum: number;
  firstTokenMsSum: number;
  firstTokenBuckets: number[];
}

export const hourOf = (seconds: number): number => seconds - (seconds % 3600);

/** Failed requests cost nothing and are left out. */
export function quotaSums(rows: readonly WrittenLog<RequestDraft>[], isCounting: boolean): QuotaSum[] {
  const sums = new Map<string, QuotaSum>();
  for (const draft of rows) {
    if (draft.type !== LogType.consume) continue;
    const { userId, username, createdAt, request } = draft;
    const hour = hourOf(createdAt);
    const key = JSON.stringify([userId, hour, request.modelName, username]);
    const sum = sums.get(key) ?? {
      userId,
      username,
      modelName: request.modelName,
      hour,
      count: 0,
      quota: 0,
      tokenUsed: 0,
      loggedQuota: 0,
    };
    sums.set(key, sum);
    sum.loggedQuota += request.quota;
    if (!isCounting) continue;
    sum.count += 1;
    sum.quota += request.quota;
    sum.tokenUsed += request.promptTokens + request.completionTokens;
  }
  return [...sums.values()];
}

/** Counts every attempt for its channel, whatever the outcome of the request. */
export function channelSums(requests: readonly LoggedRequest[]): ChannelSum[] {
  const sums = new Map<string, ChannelSum>();
  const sumOf = (channelId: number, hour: number): ChannelSum => {
    const key = `${channelId}:${hour}`;
    const sum = sums.get(key) ?? {
      channelId,
      hour,
      requests: 0,
      failures: 0,
      answers: 0,
      durationMsSum: 0,
      firstTokenMsSum: 0,
      firstTokenBuckets: noFirstTokens(),
    };
    sums.set(key, sum);
    return sum;
  };
  for (const { draft, data } of requests) {
    const hour = hourOf(draft.createdAt);
    for (const [index, attempt] of data.attempts.entries()) {
      const sum = sumOf(attempt.channelId, hour);
      const outcome = index === data.attempts.length - 1 ? data.outcome : 'completed';
      sum.requests += 1;
      if (isFault(attempt, outcome)) sum.failures += 1;
      if (attempt.class !== 'ok' || outcome !== 'completed') continue;
      sum.answers += 1;
      sum.durationMsSum += attempt.durationMs;
    }
    if (data.channelId > 0 && data.isStream && data.firstTokenMs !== undefined)
      addFirstToken(sumOf(data.channelId, hour), data.firstTokenMs);
  }
  return [...sums.values()];
}

function addFirstToken(sum: ChannelSum, ms: number): void {
  sum.firstTokenMsSum += ms;
  const bucket = bucketOf(ms);
  sum.firstTokenBuckets[bucket] = (sum.firstTokenBuckets[bucket] ?? 0) + 1;
}

/**
 * Refusals that are about the address, the account or the model that the operator entered, and not about the request:
 * no money, no permission, no such path or model.
 */
const ABOUT_THE_CHANNEL: ReadonlySet<number> = new Set([402, 403, 404, 405, 410]);

/**
 * Whether the channel is to blame for an attempt. It is not when the client left, the relay died, or the request itself
 * was invalid.
 */
function isFault(attempt: Attempt, outcome: RequestConsumed['outcome']): boolean {
  if (outcome === 'upstream_cut') return true;
  if (outcome === 'client_abort' || outcome === 'interrupted') return false;
  return attempt.class === 'invalid' ? ABOUT_THE_CHANNEL.has(attempt.status) : attempt.class !== 'ok';
}
