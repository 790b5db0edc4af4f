import type { OptionStore } from '@tollgate/platform';
import {
  type ChannelTarget,
  type DialectSettings,
  type JsonObject,
  resolveModel,
  secretsOf,
} from '@tollgate/providers';
import { toRoutedChannel } from '../ability/routed-channel.js';
import type { Channel } from '../channel/channel.entity.js';

const AZURE_API_VERSION = '2024-12-01-preview';

/** The options that shape upstream requests; a test must look like a request of the relay. */
export const dialectSettings = (options: OptionStore): DialectSettings => ({
  claude: {
    defaultMaxTokens: options.get('claude.default_max_tokens'),
    modelHeaders: options.get('claude.model_headers_settings'),
    thinkingAdapterEnabled: options.get('claude.thinking_adapter_enabled'),
    thinkingBudgetPercentage: options.get('claude.thinking_adapter_budget_tokens_percentage'),
  },
  forceStreamUsage: false,
  azureApiVersion: AZURE_API_VERSION,
  product: { name: options.get('SystemName'), url: options.get('ServerAddress') },
});

/** An upstream account as the console calls it, outside any user's request. */
export interface Account {
  type: number;
  key: string;
  baseUrl: string;
  organization: string;
  other: string;
}

/** What a message about this account must not show. */
export const secretsOfAccount = (account: Account): string[] => secretsOf(account);

/** For calls without a model, such as the list of models. */
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

/** For a request of one model. Throws `RequestRejected` when the model mapping runs in a circle. */
export function channelTarget(
  channel: Channel,
  key: string,
  requested: { model: string; settings: DialectSettings; nowMs: number },
): ChannelTarget {
  const routed = toRoutedChannel(channel, key);
  return {
    ...accountTarget(routed, requested.settings, requested.nowMs),
    model: resolveModel(routed.modelMapping, requested.model).model,
    requestedModel: requested.model,
    setting: routed.setting,
    paramOverride: routed.paramOverride as JsonObject,
  };
}
