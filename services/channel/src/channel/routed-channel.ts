import type { RoutedChannel } from '@tollgate/contracts';
import type { ChannelKey } from './channel-keys.js';
import { parseObject } from './channel-rules.js';
import type { Channel } from './channel.entity.js';

/** The entries whose values are strings or numbers, as strings; others are left out. */
function texts(json: string): Record<string, string> {
  const entries = Object.entries(parseObject(json) ?? {}).filter(
    ([, value]) => typeof value === 'string' || typeof value === 'number',
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

/** The channel as the relay reads it; JSON texts are parsed once here. */
export const toRoutedChannel = (channel: Channel, key: string, keys: readonly ChannelKey[] = []): RoutedChannel => ({
  id: channel.id,
  name: channel.name,
  type: channel.type,
  key,
  ...(channel.keyMode !== '' && { keyMode: channel.keyMode, keys: keys.map((one) => ({ id: one.id, key: one.key })) }),
  baseUrl: channel.baseUrl,
  organization: channel.organization,
  other: channel.other,
  models: channel.models,
  groups: channel.groups,
  priority: channel.priority,
  weight: channel.weight,
  status: channel.status,
  autoBan: channel.autoBan,
  modelMapping: texts(channel.modelMapping),
  statusCodeMapping: texts(channel.statusCodeMapping),
  paramOverride: parseObject(channel.paramOverride) ?? {},
  setting: parseObject(channel.setting) ?? {},
});
