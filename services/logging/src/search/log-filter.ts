import type { LogFilter } from '@tollgate/contracts/api/log';
import { isUuid } from '@tollgate/chassis';
import type { LogType } from '../log/log.entity.js';
import type { LogConditions } from '../store/log-store.js';

/** What one reader may see of the log and asks for. Every text is compared as a whole and literally. */
export type LogCriteria = LogFilter & { userId?: number };

/** Own rows only; what ordinary users may not filter by is ignored. */
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
    ...(type !== 0 && { type: type as LogType }),
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

/** Text that is no request id at all finds nothing. */
const byRequest = (requestId: string): LogConditions => (isUuid(requestId) ? { eventId: requestId } : { id: -1 });
