import {
  type ChannelTarget,
  type DialectSettings,
  type JsonObject,
  resolveModel,
  secretsOf,
} from '@tollgate/providers';
import { toRoutedChannel } from './routed-channel.js';
import { parseObject } from './channel-rules.js';
import type { Channel } from './channel.entity.js';

/** An upstream account for calls of the console, outside any user's request. */
export interface Account {
  type: number;
  key: string;
  baseUrl: string;
  organization: string;
  other: string;
}

/** Texts that must be masked in messages about this account. */
export const secretsOfAccount = (account: Account): string[] => secretsOf(account);

/** The target of calls without a model, such as the list of models. */
export const accountTarget = (account: Account, settings: DialectSettings, nowMs: number): ChannelTarget => ({
  channelType: account.type,
  key: account.key,
  baseUrl: account.baseUrl,
  organization: account.organization,
  other: account.other,
  model: '',
  requestedModel: '',
  setting: {},
  paramOverride: {},
  settings,
  nowMs,
});

/** The target of a request for a model. Throws `RequestRejected` when the model mapping is circular. */
export function channelTarget(
  channel: Channel,
  key: string,
  requested: { model: string; settings: DialectSettings; nowMs: number },
): ChannelTarget {
  const routed = toRoutedChannel(channel, key);
  return {
    ...accountTarget(routed, requested.settings, requested.nowMs),
    model: resolveModel(routed.modelMapping, requested.model),
    requestedModel: requested.model,
    setting: routed.setting,
    paramOverride: routed.paramOverride as JsonObject,
  };
}

/** The channel's proxy; empty = none. */
export function proxyOf({ setting }: Pick<Channel, 'setting'>): string {
  const proxy = parseObject(setting)?.proxy;
  return typeof proxy === 'string' ? proxy : '';
}
