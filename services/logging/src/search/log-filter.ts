import type { LogFilter } from '@tollgate/contracts/api/log';
import { isUuid } from '@tollgate/chassis';
import type { RowType } from '../log/log.entity.js';
import type { LogConditions } from '../store/log-store.js';

/** A reader's rights and filters. Texts are compared literally and as a whole. */
export type LogCriteria = LogFilter & { userId?: number };

/** Restricts the filter to the user's own rows and drops filters that only administrators may use. */
export const ownCriteria = (filter: LogFilter, userId: number): LogCriteria => ({
  ...filter,
  username: '',
  channel: 0,
  userId,
});

export function conditionsOf(criteria: LogCriteria): LogConditions {
  const {
    userId,
    type,
    username,
    token_name: tokenName,
    model_name: modelName,
    channel,
    group,
    request_id: requestId,
    start_timestamp: start,
    end_timestamp: end,
  } = criteria;
  return {
    ...(userId !== undefined && { userId }),
    ...(type !== 0 && { type: type as RowType }),
    ...(username !== '' && { username }),
    ...(tokenName !== '' && { tokenName }),
    ...(modelName !== '' && { modelName }),
    ...(channel !== 0 && { channelId: channel }),
    ...(group !== '' && { group }),
    ...(requestId !== '' && byRequest(requestId)),
    ...(start !== 0 && { from: start }),
    ...(end !== 0 && { to: end }),
  };
}

/** A text that is no request id matches nothing. */
const byRequest = (requestId: string): LogConditions => (isUuid(requestId) ? { eventId: requestId } : { id: -1 });
