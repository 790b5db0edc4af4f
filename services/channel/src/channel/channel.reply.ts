import type { Channel as ChannelReply } from '@tollgate/contracts/api/channel';
import { unixSeconds } from '@tollgate/chassis';
import type { Channel } from './channel.entity.js';

function otherInfo({ statusReason, statusChangedAt }: Channel): string {
  return statusReason === ''
    ? ''
    : JSON.stringify({ status_reason: statusReason, status_time: unixSeconds(statusChangedAt) });
}

/** `keyHashes` contains the hash of the whole text and one per line. */
const severalKeys = ({ keyMode, keyHashes, keyStates }: Channel): Partial<ChannelReply> =>
  keyMode === ''
    ? {}
    : {
        multi_key_mode: keyMode,
        multi_key_size: Math.max(1, keyHashes.length - 1),
        multi_key_away: Object.keys(keyStates).length,
      };

/** A channel for its form, without the key. */
export const toChannelReply = (channel: Channel): ChannelReply => ({
  id: channel.id,
  type: channel.type,
  name: channel.name,
  status: channel.status,
  openai_organization: channel.organization,
  base_url: channel.baseUrl,
  other: channel.other,
  models: channel.models.join(','),
  group: channel.groups.join(','),
  model_mapping: channel.modelMapping,
  status_code_mapping: channel.statusCodeMapping,
  param_override: channel.paramOverride,
  setting: channel.setting,
  auto_ban: channel.autoBan ? 1 : 0,
  test_model: channel.testModel,
  priority: channel.priority,
  weight: channel.weight,
  tag: channel.tag,
  max_input_tokens: channel.maxInputTokens,
  created_time: unixSeconds(channel.createdAt),
  test_time: unixSeconds(channel.testedAt),
  response_time: channel.responseTimeMs,
  balance: channel.balance,
  balance_updated_time: unixSeconds(channel.balanceUpdatedAt),
  used_quota: channel.usedQuota,
  other_info: otherInfo(channel),
  ...severalKeys(channel),
});

/** Hides a proxy's password in lists; only the form of a single channel needs it. */
const maskCredentials = (text: string): string => text.replace(/(:\/\/)[^/@\s"]+@/g, '$1***@');

/** A row of a list or a search result. */
export const toChannelRow = (channel: Channel): ChannelReply => ({
  ...toChannelReply(channel),
  setting: maskCredentials(channel.setting),
});
