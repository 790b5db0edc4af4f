import type { KeyObject } from 'node:crypto';
import type { Log as LogReply, LogOther } from '@tollgate/contracts/api/log';
import type { LogRow } from '../log/log-row.js';
import { ownId } from './own-id.js';

export function toLogReply(log: LogRow): LogReply {
  return {
    id: log.id,
    user_id: log.userId,
    created_at: log.createdAt,
    type: log.type,
    content: log.content,
    username: log.username,
    token_name: log.tokenName,
    model_name: log.modelName,
    quota: log.quota,
    prompt_tokens: log.promptTokens,
    completion_tokens: log.completionTokens,
    use_time: log.useTime,
    is_stream: log.isStream,
    channel: log.channelId,
    channel_name: log.channelName,
    token_id: log.tokenId,
    group: log.group,
    other: toText(log.other),
  };
}

/**
 * A row for readers who are not administrators: nothing in it reveals the channel, the number of channels or the number
 * of other users' rows.
 */
export function toOwnLogReply(log: LogRow, key: KeyObject): LogReply {
  const { admin_info: _, ...other } = log.other ?? {};
  return {
    ...toLogReply(log),
    id: ownId(log.id, key),
    channel: 0,
    channel_name: '',
    other: toText(log.other && other),
  };
}

const toText = (other: LogOther | null | undefined): string => (other ? JSON.stringify(other) : '');
