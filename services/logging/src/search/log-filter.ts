import type { LogFilter } from '@tollgate/contracts/api/log';
import { isUuid } from '@tollgate/chassis';
import type { Log } from '../log/log.entity.js';

/** What one reader may see of the log and asks for. Every text is compared as a whole and literally. */
export type LogCriteria = LogFilter & { userId?: number };

type ExactColumns =
  'userId' | 'type' | 'username' | 'tokenName' | 'tokenId' | 'modelName' | 'channelId' | 'group' | 'eventId';

/** The same in columns. */
export interface LogConditions extends Partial<Pick<Log, ExactColumns>> {
  id?: number | { $in: number[] };
  createdAt?: { $gte?: number; $lte?: number; $in?: number[] };
}

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
  } = criteria;
  return {
    ...(userId !== undefined && { userId }),
    ...(type !== 0 && { type: type as Log['type'] }),
    ...(username !== '' && { username }),
    ...(tokenName !== '' && { tokenName }),
    ...(modelName !== '' && { modelName }),
    ...(channel !== 0 && { channelId: channel }),
    ...(group !== '' && { group }),
    ...(requestId !== '' && byRequest(requestId)),
    ...between(criteria),
  };
}

/** Text that is no request id at all finds nothing. */
const byRequest = (requestId: string): LogConditions => (isUuid(requestId) ? { eventId: requestId } : { id: -1 });

function between({ start_timestamp: start, end_timestamp: end }: LogCriteria): LogConditions {
  if (start === 0 && end === 0) return {};
  return { createdAt: { ...(start !== 0 && { $gte: start }), ...(end !== 0 && { $lte: end }) } };
}
