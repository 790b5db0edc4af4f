import type { RoutedChannel } from '@tollgate/contracts';
import { type ChannelTarget, type JsonObject, resolveModel, secretsOf } from '@tollgate/providers';

/**
 * Where and how a request reaches a channel at the time `nowMs` (Unix milliseconds). Throws `RequestRejected` for a
 * circular model mapping.
 */
export function targetOf(
  channel: RoutedChannel,
  requestedModel: string,
  { settings, nowMs }: Pick<ChannelTarget, 'settings' | 'nowMs'>,
): ChannelTarget {
  return {
    channelType: channel.type,
    baseUrl: channel.baseUrl,
    key: channel.key,
    model: resolveModel(channel.modelMapping, requestedModel),
    requestedModel,
    organization: channel.organization,
    other: channel.other,
    setting: channel.setting,
    paramOverride: channel.paramOverride as JsonObject,
    settings,
    nowMs,
  };
}

const secrets = new WeakMap<RoutedChannel, readonly string[]>();

/**
 * The texts of a channel that no message may contain. Cached by object, since the route table creates a new one when a
 * channel changes.
 */
export function secretsOfChannel(channel: RoutedChannel): readonly string[] {
  let found = secrets.get(channel);
  if (!found) secrets.set(channel, (found = secretsOf(channel)));
  return found;
}
