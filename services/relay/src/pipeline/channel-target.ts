import type { RoutedChannel } from '@tollgate/contracts';
import type { OptionStore } from '@tollgate/platform';
import { type ChannelTarget, type DialectSettings, type JsonObject, resolveModel } from '@tollgate/providers';

const AZURE_API_VERSION = '2024-12-01-preview';

/** The options that shape upstream requests, in the words of the providers library. */
export function dialectSettings(options: OptionStore): DialectSettings {
  return {
    claude: {
      defaultMaxTokens: options.get('claude.default_max_tokens'),
      modelHeaders: options.get('claude.model_headers_settings'),
      thinkingAdapterEnabled: options.get('claude.thinking_adapter_enabled'),
      thinkingBudgetPercentage: options.get('claude.thinking_adapter_budget_tokens_percentage'),
    },
    forceStreamUsage: true,
    azureApiVersion: AZURE_API_VERSION,
    product: { name: options.get('SystemName'), url: options.get('ServerAddress') },
  };
}

/** Where and how a request reaches a channel. Throws `RequestRejected` when the model mapping runs in a circle. */
export function targetOf(channel: RoutedChannel, requestedModel: string, settings: DialectSettings): ChannelTarget {
  return {
    channelType: channel.type,
    baseUrl: channel.baseUrl,
    key: channel.key,
    model: resolveModel(channel.modelMapping, requestedModel).model,
    requestedModel,
    organization: channel.organization,
    other: channel.other,
    setting: channel.setting,
    paramOverride: channel.paramOverride as JsonObject,
    settings,
    nowMs: Date.now(),
  };
}
