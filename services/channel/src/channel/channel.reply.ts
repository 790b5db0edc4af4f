import type { Channel as ChannelReply } from '@tollgate/contracts/api/channel';
import { unixSeconds } from '@tollgate/chassis';
import { parseObject } from './channel-rules.js';
import { proxyOf } from './channel-target.js';
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
  ...(typeof channel.testOk === 'boolean' && { test_ok: channel.testOk }),
  response_time: channel.responseTimeMs,
  balance: channel.balance,
  balance_updated_time: unixSeconds(channel.balanceUpdatedAt),
  // Below zero between a refund and the call that it returns.
  used_quota: Math.max(0, channel.usedQuota),
  other_info: otherInfo(channel),
  ...severalKeys(channel),
});

/** Up to the last `@`, because a password may contain one, but not beyond the end of a JSON text. */
const CREDENTIALS = /(:(?:\\?\/){2})(?:[^"\\]|\\.)*@/g;

/**
 * Hides a proxy's password in lists; only the form of a single channel needs it. A text that is stored as it was entered
 * may write the same address in several ways, so the proxy is masked as it is read.
 */
export function maskCredentials(setting: string): string {
  const proxy = proxyOf({ setting });
  const masked = proxy.replace(/^([a-z][a-z\d+.-]*:[/\\]*)?.*@/is, '$1***@');
  const text = masked === proxy ? setting : JSON.stringify({ ...parseObject(setting), proxy: masked });
  return text.replace(CREDENTIALS, '$1***@');
}

/** A row of a list or a search result. */
export const toChannelRow = (channel: Channel): ChannelReply => ({
  ...toChannelReply(channel),
  setting: maskCredentials(channel.setting),
});
